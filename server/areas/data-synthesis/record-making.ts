import { type FailureCounts, failuresOf } from '../../kernel/failure-counts.ts';
import { foreign, storedReason } from '../../kernel/sentences/index.ts';
import { isoNow } from '../../kernel/clock.ts';
import type { Asker } from '../../models/index.ts';
import { countFailure, noCounts, RunFailure, RunStopped, type Run, type RunContext } from '../../runs/index.ts';
import type { SynthesisRecordsTable, SynthesisSamplesTable } from '../../storage/database/tables/data-synthesis.ts';
import type { SynthesisDetails } from './definition.ts';
import { failed, isBudgetExhausted, type RecordDraft } from './generation.ts';
import { deleteFailedRecords, insertRecords, listRegenerated } from './queries/records.ts';
import { addSpentTime, findWork, updateWork } from './queries/works.ts';
import { readSeedRows } from './columns/seed-rows.ts';
import { createRecordMaker, isLasting } from './record-maker.ts';
import { contentOf, failureOf, recordColumns, recordIdOf, shownReason } from './record-rows.ts';
import { synthesisLog as said } from './sentences.ts';
import { createSampleReader, missingNumbers, readEarlier } from './stored-work.ts';
import type { SynthesisServices } from './synthesis-services.ts';

const storedAtOnce = 200;
const storedAfterMs = 500;
/** Records started per allowed concurrent call, so that a slow call does not block the others. */
const windowFactor = 4;
const largestWindow = 1024;
const defaultConcurrency = 64;
/** After this many consecutive failures the model is considered down and the run fails. */
const mostFailuresInRow = 100;

/** A resuming run retries the records that failed in the resumed one, once. */
export async function takeBackFailed({ db }: SynthesisServices, run: Run, context: RunContext): Promise<void> {
  const { workId } = run.details as SynthesisDetails;
  const work = await findWork(db.read, workId);
  if (run.resumedFrom === null || work === undefined || work.retried_by === run.id) return;
  const count = await context.checkpoint({}, async (tx, add) => {
    await updateWork(tx, workId, { retried_by: run.id });
    const taken = await deleteFailedRecords(tx, workId);
    const failures: FailureCounts = new Map();
    let sum = 0;
    for (const { count, ...failed } of taken) {
      for (const [key, { reason, count: less }] of failuresOf(failureOf(failed), -count))
        failures.set(key, { reason, count: (failures.get(key)?.count ?? 0) + less });
      sum += count;
    }
    await add({ done: -sum, counts: { ...noCounts, in: -sum, failed: -sum }, failures });
    return sum;
  });
  if (count !== undefined && count > 0) await context.log('INFO', said.SYNTHESIS_RETRIED.reason({ count }));
}

/** A record whose calls are running or done. */
type Pending = {
  number: number;
  sample: SynthesisSamplesTable;
  ordinal: number;
  sequence: number;
  state: 'open' | 'done' | 'stopped';
  record?: RecordDraft;
};

/** Makes the missing records, several at a time, and stores them in order. */
export async function makeRecords(services: SynthesisServices, run: Run, context: RunContext): Promise<void> {
  const { db, clock, models, samples } = services;
  const details = run.details as SynthesisDetails;
  const { workId, perSample, checks, judge, budget } = details;
  const work = await findWork(db.read, workId);
  if (work === undefined) throw new RunFailure(said.SYNTHESIS_TASK_DELETED.reason({}));
  await context.checkpoint({ phase: 'GENERATE' });
  const earlier = await readEarlier(db, workId, checks.similarToRecords ?? null);
  const rows = await readSeedRows(samples, details.template.columns, details.seedVersions ?? {});
  const maker = createRecordMaker(models, details, { earlier, rows });
  const { model } = await models.registry.open(details.model);
  const window = Math.min(largestWindow, windowFactor * (model.limits.concurrency ?? defaultConcurrency));
  const regenerated = await listRegenerated(db.read, run.taskId);
  const numbers = missingNumbers(db, work, perSample);
  const sampleOf = createSampleReader(db, workId);
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  /** Records are generated in any order, compared in order, and graded in any order. */
  const generated: Pending[] = [];
  const graded: Pending[] = [];
  let waiting: SynthesisRecordsTable[] = [];
  let since = performance.now();
  let spentSince = since;
  let hasMore = true;
  /** Why no more calls are started. */
  const ending: { cause?: Error } = {};
  let failedInRow = 0;
  let wake = (): void => {};

  function follow(pending: Pending, work: Promise<RecordDraft>): void {
    pending.state = 'open';
    work
      .then(
        (record) => {
          pending.record = record;
          pending.state = 'done';
          if (isLasting(record.problem))
            ending.cause ??= new RunFailure(
              said.SYNTHESIS_MODEL_REFUSES.reason({ why: shownReason(record.reason, record.column) }),
            );
        },
        (error: unknown) => {
          pending.state = 'stopped';
          ending.cause ??= isBudgetExhausted(error) ? new RunStopped(error.reason) : (error as Error);
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
      sample.problem === null
        ? maker.generate(contentOf(sample), { key: sample.sample_key, ordinal, sequence }, askerOf(pending))
        : Promise.resolve(failed(storedReason('problem', sample) ?? foreign(''))),
    );
  }

  /** Advances the records at the head of each queue; returns whether any moved. */
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
      // Unfinished records are made when the run is resumed.
      if (head.state === 'stopped' || head.record === undefined || isLasting(head.record.problem)) continue;
      failedInRow = head.record.problem === undefined ? 0 : failedInRow + 1;
      if (failedInRow >= mostFailuresInRow)
        ending.cause ??= new RunFailure(
          said.SYNTHESIS_MODEL_DOWN.reason({
            times: failedInRow,
            why: shownReason(head.record.reason, head.record.column),
          }),
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
    const failures: FailureCounts = new Map();
    for (const row of rows) {
      const { verdict } = row;
      if (verdict === 'KEPT') counts.kept += 1;
      else if (verdict === 'DROPPED') counts.dropped += 1;
      else {
        counts.failed += 1;
        countFailure(failures, failureOf(row));
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
      // Finished records must not wait for a slow call before they are stored.
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

function recordRow(
  taskId: string,
  workId: string,
  { number, sample, ordinal, sequence }: Pending,
  record: RecordDraft,
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
