import { createHash } from 'node:crypto';
import { isoNow, type Clock } from '../../kernel/clock.ts';
import { codeOf } from '../../kernel/sentences.ts';
import type { Asker, Models } from '../../models/index.ts';
import {
  countFailure,
  noCounts,
  RunFailure,
  RunStopped,
  type Run,
  type RunContext,
  type RunKind,
} from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type {
  SynthesisRecordsTable,
  SynthesisSamplesTable,
  SynthesisWorksTable,
} from '../../storage/database/tables/data-synthesis.ts';
import { textOfRecord, type Output } from './checks.ts';
import type { SynthesisDetails } from './definition.ts';
import type { Exports } from './exports.ts';
import type { Forecasts } from './forecasts.ts';
import { isBudgetExhausted } from './generation.ts';
import { createNearDuplicates, type NearDuplicates } from './near-duplicates.ts';
import {
  countRecords,
  deleteFailedRecords,
  insertRecords,
  listComparedRecords,
  listRecordNumbers,
  listRegenerated,
} from './queries/records.ts';
import {
  addSpentTime,
  deleteSamples,
  deleteWorkOf,
  findWork,
  insertSamples,
  insertWork,
  listSamples,
  moveWork,
  updateWork,
} from './queries/works.ts';
import { createRecordMaker, isLasting, type MadeRecord } from './record-maker.ts';
import { contentOf, recordColumns, recordIdOf } from './record-rows.ts';
import { synthesisLog as said, synthesisReasons as reasons } from './sentences.ts';
import type { SourceSample, SourceSamples } from './source-samples.ts';

export type SynthesisServices = {
  db: Database;
  clock: Clock;
  models: Pick<Models, 'chat' | 'registry'>;
  samples: SourceSamples;
  exports: Exports;
  forecasts: Forecasts;
};

const samplesAtOnce = 500;
const storedAtOnce = 200;
const storedAfterMs = 500;
const numbersAtOnce = 5000;
/** Calls that are begun for each that may be in flight: a slow one must not keep the others waiting. */
const windowFactor = 4;
const largestWindow = 1024;
const defaultConcurrency = 64;
/** A model that fails this often in a row is down: the rest of the run would fail alike. */
const mostFailuresInRow = 100;

/** Runs that make records of the samples of a dataset. */
export function createSynthesisKind(services: SynthesisServices): RunKind {
  return {
    kind: 'data-synthesis',
    // The bytes that it reads and writes are in the data folder of its process.
    needsOwnPlace: true,
    drive: (run, context) => drive(services, run, context),
    resume: moveWork,
    remove: deleteWorkOf,
  };
}

async function drive(services: SynthesisServices, run: Run, context: RunContext): Promise<void> {
  const { db, exports } = services;
  const details = run.details as SynthesisDetails;
  await openWork(services, run, context);
  await takeBackFailed(services, run, context);
  await makeRecords(services, run, context);
  const facets = await countRecords(db.read, run.taskId, details.workId);
  if (facets.every(({ verdict }) => verdict === 'FAILED'))
    throw new RunFailure(said.SYNTHESIS_NOTHING_MADE({ why: facets[0]?.reason_code ?? '' }));
  await context.checkpoint({ phase: 'WRITE' });
  const target = await exports.writeResult(run, context);
  await context.complete((_tx, { setTargets }) => setTargets([target]));
}

/** Reads the samples and stores them, unless an earlier drive has. */
async function openWork(
  { db, clock, samples, forecasts }: SynthesisServices,
  run: Run,
  context: RunContext,
): Promise<void> {
  const details = run.details as SynthesisDetails;
  const { workId, perSample, maxSamples } = details;
  const known = await findWork(db.read, workId);
  if (known?.is_read === 1) return;
  await context.checkpoint({ phase: 'READ' }, async (tx) => {
    // A drive that was interrupted begins again: reading costs nothing.
    if (known !== undefined) await deleteSamples(tx, workId);
    else
      await insertWork(tx, {
        work_id: workId,
        task_id: run.taskId,
        run_id: run.id,
        model_id: details.model,
        template_type: details.template.type,
        samples: 0,
        is_read: 0,
        retried_by: null,
        forecast: null,
        spent_ms: 0,
        exported_version: null,
        created_at: isoNow(clock),
      });
  });
  const keyOf = createSampleKeys();
  let waiting: SynthesisSamplesTable[] = [];
  let count = 0;
  let skipped = 0;
  const store = async (): Promise<void> => {
    const rows = waiting;
    waiting = [];
    await context.checkpoint({}, (tx) => insertSamples(tx, rows));
  };
  const source = { ...details, datasetId: details.sourceDatasetId, version: details.sourceVersion };
  for await (const item of samples.read(source)) {
    context.signal.throwIfAborted();
    if ('skipped' in item) skipped += 1;
    if (!('sample' in item)) continue;
    waiting.push(sampleRow(workId, count, item.sample, keyOf(item.sample)));
    count += 1;
    if (waiting.length >= samplesAtOnce) await store();
    if (count === maxSamples) break;
  }
  if (count === 0) throw new RunFailure(said.SYNTHESIS_NO_SAMPLES({}));
  await store();
  const forecast = await forecasts.ofWork(details, count);
  await context.checkpoint({ total: count * perSample, skipped }, (tx) =>
    updateWork(tx, workId, { samples: count, is_read: 1, forecast: JSON.stringify(forecast) }),
  );
  await context.log('INFO', said.SYNTHESIS_READ({ samples: count, skipped }));
}

function sampleRow(workId: string, number: number, sample: SourceSample, key: string): SynthesisSamplesTable {
  return {
    work_id: workId,
    sample_no: number,
    file_id: sample.fileId,
    file_path: sample.filePath,
    row_no: sample.rowNumber,
    start_at: sample.start,
    end_at: sample.end,
    text: sample.text,
    fields: sample.row === null ? null : JSON.stringify(sample.row),
    problem: sample.problem,
    sample_key: key,
  };
}

/** Keys by path and content, and a number for those that are the same again. */
function createSampleKeys(): (sample: SourceSample) => string {
  const seen = new Map<string, number>();
  return ({ filePath, text, row, problem }) => {
    const content = JSON.stringify([filePath, row === null ? text : row, problem]);
    const key = createHash('sha256').update(content).digest('base64url').slice(0, 32);
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    return times === 0 ? key : `${key}-${times}`;
  };
}

/** A run that resumes another one tries again what had failed there, once. */
async function takeBackFailed({ db }: SynthesisServices, run: Run, context: RunContext): Promise<void> {
  const { workId } = run.details as SynthesisDetails;
  const work = await findWork(db.read, workId);
  if (run.resumedFrom === null || work === undefined || work.retried_by === run.id) return;
  const count = await context.checkpoint({}, async (tx, add) => {
    await updateWork(tx, workId, { retried_by: run.id });
    const failed = await deleteFailedRecords(tx, workId);
    const failures = new Map<string, number>();
    let sum = 0;
    for (const { reason, count: times } of failed) {
      failures.set(reason ?? '', -times);
      sum += times;
    }
    await add({ done: -sum, counts: { ...noCounts, in: -sum, failed: -sum }, failures });
    return sum;
  });
  if (count !== undefined && count > 0) await context.log('INFO', said.SYNTHESIS_RETRIED({ count }));
}

/** A record whose calls are under way, or are done. */
type Pending = {
  number: number;
  sample: SynthesisSamplesTable;
  ordinal: number;
  sequence: number;
  state: 'open' | 'done' | 'stopped';
  record?: MadeRecord;
};

/** Makes the records that are missing, several at once, and stores them in their order. */
async function makeRecords(services: SynthesisServices, run: Run, context: RunContext): Promise<void> {
  const { db, clock, models } = services;
  const details = run.details as SynthesisDetails;
  const { workId, perSample, checks, judge, budget } = details;
  const work = await findWork(db.read, workId);
  if (work === undefined) throw new RunFailure(said.SYNTHESIS_TASK_DELETED({}));
  await context.checkpoint({ phase: 'GENERATE' });
  const earlier = await readEarlier(db, workId, checks.similarToRecords ?? null);
  const maker = createRecordMaker(models, details, earlier);
  const { model } = await models.registry.open(details.model);
  const window = Math.min(largestWindow, windowFactor * (model.limits.concurrency ?? defaultConcurrency));
  const regenerated = await listRegenerated(db.read, run.taskId);
  const numbers = missingNumbers(db, work, perSample);
  const sampleOf = createSampleReader(db, workId);
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  /** Generated in any order, compared in theirs, and then graded in any order. */
  const generated: Pending[] = [];
  const graded: Pending[] = [];
  let waiting: SynthesisRecordsTable[] = [];
  let since = performance.now();
  let spentSince = since;
  let hasMore = true;
  /** Why no more calls are begun. */
  const ending: { cause?: Error } = {};
  let failedInRow = 0;
  let wake = (): void => {};

  function follow(pending: Pending, work: Promise<MadeRecord>): void {
    pending.state = 'open';
    work
      .then(
        (record) => {
          pending.record = record;
          pending.state = 'done';
          if (isLasting(record.problem))
            ending.cause ??= new RunFailure(said.SYNTHESIS_MODEL_REFUSES({ why: record.reason ?? '' }));
        },
        (error: unknown) => {
          pending.state = 'stopped';
          ending.cause ??= isBudgetExhausted(error) ? new RunStopped(error.message) : (error as Error);
        },
      )
      .finally(() => wake());
  }

  const askerOf = ({ sample }: Pending): Asker => ({
    runId: run.id,
    sampleId: `${workId}:${sample.sample_no}`,
    budget: { id: workId, caps: budget },
    signal,
  });

  async function begin(): Promise<void> {
    const next = await numbers.next();
    if (next.done === true) {
      hasMore = false;
      return;
    }
    const number = next.value;
    const sample = await sampleOf(Math.floor(number / perSample));
    const ordinal = number % perSample;
    const sequence = regenerated.get(recordIdOf(run.taskId, sample.sample_key, ordinal)) ?? ordinal;
    const pending: Pending = { number, sample, ordinal, sequence, state: 'open' };
    generated.push(pending);
    follow(
      pending,
      sample.problem === null ? maker.generate(contentOf(sample), sequence, askerOf(pending)) : unusable(sample),
    );
  }

  /** Moves records on whose turn it is; returns whether any was. */
  function moveOn(): boolean {
    let moved = false;
    for (let head = generated[0]; head !== undefined && head.state !== 'open'; head = generated[0]) {
      generated.shift();
      moved = true;
      graded.push(head);
      if (head.record === undefined || isLasting(head.record.problem)) continue;
      head.record = maker.compare(head.record);
      if (judge !== null && head.record.verdict === 'KEPT' && ending.cause === undefined)
        follow(head, maker.grade(head.record, contentOf(head.sample), askerOf(head)));
      else if (judge !== null && head.record.verdict === 'KEPT') head.state = 'stopped';
    }
    for (let head = graded[0]; head !== undefined && head.state !== 'open'; head = graded[0]) {
      graded.shift();
      moved = true;
      // What did not come to its end is made when the run is resumed.
      if (head.state === 'stopped' || head.record === undefined || isLasting(head.record.problem)) continue;
      failedInRow = head.record.problem === undefined ? 0 : failedInRow + 1;
      if (failedInRow >= mostFailuresInRow)
        ending.cause ??= new RunFailure(
          said.SYNTHESIS_MODEL_DOWN({ times: failedInRow, why: head.record.reason ?? '' }),
        );
      waiting.push(recordRow(run.taskId, workId, head, head.record, isoNow(clock)));
    }
    return moved;
  }

  async function store(): Promise<void> {
    const rows = waiting;
    waiting = [];
    since = performance.now();
    const spent = Math.round(since - spentSince);
    spentSince = since;
    if (rows.length === 0) return;
    const counts = { ...noCounts, in: rows.length };
    const failures = new Map<string, number>();
    for (const { verdict, reason } of rows) {
      if (verdict === 'KEPT') counts.kept += 1;
      else if (verdict === 'DROPPED') counts.dropped += 1;
      else {
        counts.failed += 1;
        countFailure(failures, reason ?? '');
      }
    }
    await context.checkpoint({ done: rows.length, counts, failures }, async (tx) => {
      await insertRecords(tx, rows);
      await addSpentTime(tx, workId, spent);
    });
  }

  try {
    for (;;) {
      context.signal.throwIfAborted();
      while (hasMore && ending.cause === undefined && generated.length + graded.length < window) await begin();
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const moved = moveOn();
      if (waiting.length >= storedAtOnce || performance.now() - since >= storedAfterMs) await store();
      if (generated.length + graded.length === 0 && (!hasMore || ending.cause !== undefined)) break;
      if (moved) continue;
      // What is made must not wait to be stored for a call that takes long.
      const timer = waiting.length === 0 ? undefined : setTimeout(() => wake(), storedAfterMs);
      await woken;
      clearTimeout(timer);
    }
    await store();
  } finally {
    stop.abort(ending.cause ?? context.signal.reason);
  }
  if (ending.cause !== undefined) throw ending.cause;
}

async function unusable({ problem }: SynthesisSamplesTable): Promise<MadeRecord> {
  const usage = { inputTokens: 0, outputTokens: 0, cost: 0, known: false };
  const nothing = { output: null, usage, isCalled: false, score: null, judgement: null, calls: 0 };
  return { verdict: 'FAILED', reason: problem, ...nothing };
}

function recordRow(
  taskId: string,
  workId: string,
  { number, sample, ordinal, sequence }: Pending,
  record: MadeRecord,
  now: string,
): SynthesisRecordsTable {
  return {
    work_id: workId,
    record_no: number,
    sample_no: sample.sample_no,
    turn_no: ordinal,
    record_id: recordIdOf(taskId, sample.sample_key, ordinal),
    sequence,
    ...recordColumns(record, now),
  };
}

/** The texts of the records that there are. */
async function readEarlier(db: Database, workId: string, limit: number | null): Promise<NearDuplicates | undefined> {
  if (limit === null) return undefined;
  const earlier = createNearDuplicates(limit);
  const judged = codeOf(reasons.SYNTHESIS_JUDGED({ score: 0, limit: 1 })) ?? '';
  for (let after = -1; ;) {
    const rows = await listComparedRecords(db.scan, workId, { after, limit: numbersAtOnce, judged });
    for (const { output } of rows) earlier.compare(textOfRecord(JSON.parse(output) as Output));
    const last = rows.at(-1);
    if (last === undefined) return earlier;
    after = last.record_no;
  }
}

/** Numbers of the records that are not stored, ascending. */
async function* missingNumbers(
  db: Database,
  { work_id: workId, samples }: SynthesisWorksTable,
  perSample: number,
): AsyncGenerator<number, undefined> {
  const total = samples * perSample;
  let next = 0;
  for (let after = -1; ;) {
    const known = await listRecordNumbers(db.read, workId, after, numbersAtOnce);
    for (const number of known) {
      for (; next < number; next += 1) yield next;
      // Those that this drive has stored meanwhile are behind it.
      next = Math.max(next, number + 1);
    }
    const last = known.at(-1);
    if (last === undefined || known.length < numbersAtOnce) break;
    after = last;
  }
  for (; next < total; next += 1) yield next;
  return undefined;
}

/** Reads samples in pages: records are made in about their order. */
function createSampleReader(db: Database, workId: string): (number: number) => Promise<SynthesisSamplesTable> {
  let page: SynthesisSamplesTable[] = [];
  return async (number) => {
    const first = page[0]?.sample_no ?? 0;
    if (page[number - first] === undefined)
      page = await listSamples(db.read, workId, { from: number, limit: samplesAtOnce });
    const found = page[number - (page[0]?.sample_no ?? 0)];
    if (found === undefined) throw new Error(`Work ${workId} has no sample ${number}`);
    return found;
  };
}
