import { noCounts } from '../../../kernel/counts.ts';
import { countFailure } from '../../../kernel/failure-counts.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { isSetOperator, type OperatorEffects, type Operator } from '../../../operators/index.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import type { ReadAt } from '../../../tables/lines.ts';
import { createAsideWriter } from './aside-writer.ts';
import { createRowOutput } from './row-output.ts';
import { createByteCollector } from '../byte-collector.ts';
import { processColumn } from './column-work.ts';
import { createChain, getOperator, needsBatches, type Chain, type ChainInput, type Judgement } from './chain.ts';
import type { Step } from '../../orders/steps.ts';
import { judgeAhead } from './judge-ahead.ts';
import type { Damage, ShardContext } from './shard-context.ts';
import { processDocument, processReadDocument } from './document-work.ts';
import { processMedia } from './media-work.ts';
import { mediaTypeOf } from '../../orders/media-types.ts';
import { fieldsOf } from '../../orders/row-texts.ts';
import { findPoison } from './poison.ts';
import { processRows } from './row-work.ts';
import type { SampleProgress } from './sample-progress.ts';
import { createLedgerWriter } from './ledger.ts';
import type { ResultMemory } from '../../orders/result-memory.ts';
import { readShardDrops } from '../sets/verdict-writer.ts';
import { createSetSteps, type SetSteps, type SetVerdicts } from '../sets/set-steps.ts';
import { SetupError } from '../../orders/setup-error.ts';
import { describeDamage, readChecked, StoredBytesDamaged } from '../../orders/stored-bytes.ts';
import type {
  InputFacts,
  PieceOutput,
  PieceRead,
  PlacedPiece,
  PlacedVerdicts,
  ShardJob,
  ShardResult,
  SignJob,
  SignResult,
} from '../../orders/shard.ts';
import { formatPathOf } from '../../orders/shard.ts';
import { openNotes, type OpenPiece } from '../notes.ts';
import { readOrdinals, type SamplePlace } from '../sets/signatures.ts';

/** Resources of a worker. */
export type WorkerResources = {
  operators: readonly Operator[];
  /** What steps over batches may be handed. */
  effects: (step: number) => OperatorEffects;
  open: OpenPiece;
  progress: SampleProgress;
  memory?: ResultMemory;
};

/** Judges the samples of a pass that writes. */
type Judge = Pick<Chain, 'parts' | 'figures' | 'writesColumns' | 'onlyWriter'> & {
  judge(place: SamplePlace, input: ChainInput): Judgement;
  /** By their numbers, what samples were judged ahead. */
  readonly judged?: ReadonlyMap<number, Judgement>;
  readonly damage: Damage;
};

/** Whether a step takes samples in batches. */
export function takesBatches(steps: readonly Step[], operators: readonly Operator[]): boolean {
  return steps.some((step) => needsBatches(getOperator(operators, step)));
}

/**
 * Runs all steps on each sample of a shard and returns output, ledger and counts. Deterministic: the same input gives the
 * same output. With steps over batches the bytes are read twice, otherwise once.
 */
export async function processShardInBatches(job: ShardJob, resources: WorkerResources): Promise<ShardResult> {
  const sets = createSetSteps(null, readVerdicts(job.verdicts, resources.open));
  const chain = openChain(job, resources, sets);
  const { parts, figures, writesColumns, onlyWriter } = chain;
  const damage = noDamage();
  const judgements = await judgeAhead(chain, job, { ...resources, sets }, (add) => {
    readSamples(job, resources, { parts, damage }, add);
  });
  return writeShard(job, resources, {
    parts,
    figures,
    writesColumns,
    onlyWriter,
    damage,
    judged: judgements,
    judge({ ordinal }) {
      const judgement = judgements.get(ordinal);
      if (judgement === undefined) throw new RangeError(`Sample ${ordinal} was not there when all were judged`);
      return judgement;
    },
  });
}

/** The same, sample by sample: no step may take batches. */
export function processShard(job: ShardJob, resources: WorkerResources): ShardResult {
  const sets = createSetSteps(null, readVerdicts(job.verdicts, resources.open));
  const chain = openChain(job, resources, sets);
  return writeShard(job, resources, {
    parts: chain.parts,
    figures: chain.figures,
    writesColumns: chain.writesColumns,
    onlyWriter: chain.onlyWriter,
    damage: noDamage(),
    judge(place, input) {
      sets.enter(place);
      return chain.judge(input);
    },
  });
}

function openChain(
  { recipe, indexes }: Pick<ShardJob, 'recipe' | 'indexes'>,
  { operators, effects, progress }: WorkerResources,
  { setStep }: SetSteps,
): Chain {
  const { steps } = recipe;
  return createChain({ operators, steps, effects, beforeStep: progress.step, setStep, indexes });
}

/** Where a sample is, with the path of its file. */
export function placeOf({ pieces }: Pick<ShardJob, 'pieces'>, place: Omit<SamplePlace, 'path'>): SamplePlace {
  return { ...place, path: pieces[place.piece]?.path ?? '' };
}

function noDamage(): Damage {
  return { media: new Set(), messages: [] };
}

/** Reads a shard once, and writes what becomes of each sample. */
function writeShard(job: ShardJob, resources: WorkerResources, chain: Judge): ShardResult {
  const { progress, memory } = resources;
  const ledger = createLedgerWriter(memory?.ledger);
  const bytes = createByteCollector(Math.min(expectedBytes(job), maxExpectedBytes), memory?.output);
  const { output } = job.recipe;
  const rowOutput = output === undefined ? undefined : createRowOutput(bytes, output);
  const counts = { ...noCounts };
  let skipped = 0;
  const { damage } = chain;
  const failures = new Map<string, number>();
  const inputs: (InputFacts | null)[] = job.pieces.map(() => null);
  const aside = createAsideWriter(job.recipe.onError);
  const poisonAt = findPoison(job);

  function judge(
    place: SamplePlace,
    { read, isReadOnce }: Pick<Parameters<ShardContext['sample']>[0], 'read' | 'isReadOnce'>,
  ): { judgement: Judgement; isUnread: boolean } {
    const poisoned = poisonAt(place.ordinal);
    if (poisoned !== undefined) return { judgement: failed(poisoned.step, poisoned.reason), isUnread: false };
    const known = isReadOnce === true ? chain.judged?.get(place.ordinal) : undefined;
    if (known !== undefined) return { judgement: known, isUnread: false };
    const found = read();
    if (!('problem' in found)) return { judgement: chain.judge(place, found), isUnread: false };
    return { judgement: failed(null, found.problem), isUnread: found.isUnread === true };
  }

  const context: ShardContext = {
    job,
    parts: chain.parts,
    writesColumns: chain.writesColumns,
    onlyWriter: chain.onlyWriter,
    bytes,
    rowOutput,
    damaged: (message) => damage.messages.push(message),
    damage,
    skipFile(piece, reason) {
      skipped += 1;
      inputs[piece] = { format: fileTypeOf(job.pieces[piece]?.path ?? ''), skipped: reason };
      ledger.write(piece, null, { verdict: 'SKIPPED', step: null, reason, scores: null });
    },
    describe(piece, input) {
      inputs[piece] = input;
    },
    sample({ piece, row, line, skip, read, isReadOnce = false, refuse, write, raw: rawOf, receipt }) {
      const reason = skip?.();
      if (reason !== undefined) {
        skipped += 1;
        ledger.write(piece, row, { verdict: 'SKIPPED', step: null, reason, scores: null }, { line });
        return;
      }
      const ordinal = counts.in;
      counts.in += 1;
      progress.sample(ordinal);
      const { judgement: judged, isUnread } = judge(placeOf(job, { ordinal, piece, row }), { read, isReadOnce });
      const refusal = judged.verdict === 'CHANGED' ? refuse?.(judged) : undefined;
      const { step = null, reason: why } = typeof refusal === 'string' ? { reason: refusal } : { ...refusal };
      const judgement = why === undefined ? judged : failed(step, why);
      if (judgement.verdict === 'DROPPED') counts.dropped += 1;
      else if (judgement.verdict === 'FAILED') {
        counts.failed += 1;
        countFailure(failures, judgement.reason ?? '');
      } else counts.kept += 1;
      if (judgement.verdict === 'CHANGED') counts.changed += 1;
      const emitted = write(judgement);
      counts.emitted += emitted;
      const found = judgement.verdict === 'FAILED' ? rawOf?.() : undefined;
      const raw = found === undefined ? undefined : aside.take(piece, found, { isUnread, isWritten: emitted > 0 });
      ledger.write(piece, row, judgement, { raw, receipt, line });
    },
  };
  const pieces = job.pieces.map((piece, index) => {
    const before = counts.in + skipped;
    const emittedBefore = counts.emitted;
    const result = processPiece(context, piece, index, resources.open);
    const rows = counts.in + skipped - before + result.passed;
    return { rows, emitted: counts.emitted - emittedBefore, ...result };
  });
  const [first] = pieces;
  if (rowOutput !== undefined && first !== undefined) {
    rowOutput.finish();
    // The rows of all pieces are one output.
    for (const piece of pieces) piece.outputs = [];
    if (bytes.length > 0) first.outputs = [{ path: 'rows.jsonl', from: 'result', start: 0, end: bytes.length }];
  }
  return {
    pieces,
    counts,
    skipped,
    verdicts: ledger.verdicts(),
    figures: chain.figures.map((figure) => ({ ...figure })),
    bytes: bytes.take(),
    ledger: ledger.take(),
    ledgerLines: ledger.lines,
    inputs,
    aside: aside.result(),
    damages: damage.messages,
    failures,
    ...(rowOutput === undefined ? {} : { rowsOut: rowOutput.summary() }),
    ...(memory === undefined ? {} : { lease: memory.lease }),
  };
}

/** Reads a shard once and records the signature of each sample that reaches the set step `job.signStep`. */
export function signShard(job: SignJob, resources: WorkerResources): SignResult {
  const sets = createSetSteps(job.signStep, readVerdicts(job.verdicts, resources.open));
  const chain = openChain(job, resources, sets);
  const read = readSamples(job, resources, { parts: chain.parts }, (place, input) => {
    sets.enter(place);
    chain.judge(input);
  });
  return signResult(job, sets, read);
}

/** The same for steps that take batches. */
export async function signShardInBatches(job: SignJob, resources: WorkerResources): Promise<SignResult> {
  const sets = createSetSteps(job.signStep, readVerdicts(job.verdicts, resources.open));
  const chain = openChain(job, resources, sets);
  let read: SamplesRead = { samples: 0 };
  await judgeAhead(chain, job, { ...resources, sets }, (add) => {
    read = readSamples(job, resources, { parts: chain.parts }, add);
  });
  return signResult(job, sets, read);
}

function signResult(job: SignJob, { collector }: SetSteps, read: SamplesRead): SignResult {
  if (collector === undefined) throw new RangeError(`Step ${job.signStep} does not see the whole set`);
  return { samples: read.samples, signatures: collector.bytes(job.pieces.map(({ path }) => path)) };
}

/** Samples of a pass that writes nothing, including those that are skipped or passed over. */
type SamplesRead = { samples: number };

/** Reads the samples of a shard that can be read and crash no worker. */
function readSamples(
  job: ShardJob,
  { progress, open }: Pick<WorkerResources, 'progress' | 'open'>,
  { parts, damage }: { parts: Chain['parts']; damage?: Damage },
  visit: (place: SamplePlace, input: ChainInput) => void,
): SamplesRead {
  const poisonAt = findPoison(job);
  let samples = 0;
  let skipped = 0;
  const context: ShardContext = {
    job,
    parts,
    bytes: createByteCollector(0),
    damaged: () => {},
    ...(damage === undefined ? {} : { damage }),
    skipFile: () => {
      skipped += 1;
    },
    describe: () => {},
    sample({ piece, row, skip, read }) {
      if (skip?.() !== undefined) {
        skipped += 1;
        return;
      }
      const ordinal = samples;
      samples += 1;
      progress.sample(ordinal);
      if (poisonAt(ordinal) !== undefined) return;
      const found = read();
      if (!('problem' in found)) visit(placeOf(job, { ordinal, piece, row }), found);
    },
  };
  let passed = 0;
  for (const [index, piece] of job.pieces.entries()) passed += processPiece(context, piece, index, open).passed;
  return { samples: samples + skipped + passed };
}

function readVerdicts(placed: readonly PlacedVerdicts[], open: OpenPiece): SetVerdicts[] {
  return placed.map(({ step, slot, signatures, drops }) => ({
    step,
    ordinals: readOrdinals(openNotes(signatures, open)),
    drops: readShardDrops(open(drops), drops.sizeBytes, slot),
  }));
}

/**
 * Passes the samples of one piece to the context. A file with damaged bytes is one failed sample; damage in a part of a
 * file throws StoredBytesDamaged, because the file was intact when the run was planned and its other parts depend on
 * this one.
 */
export function processPiece(given: ShardContext, piece: PlacedPiece, index: number, open: OpenPiece): PieceRead {
  const context = piece.only === undefined ? given : rowsOnly(given, piece);
  if (piece.document !== undefined) context.describe(index, { format: fileTypeOf(formatPathOf(piece)) });
  if (piece.document !== undefined) return withoutLines(processReadDocument(context, piece, index, piece.document));
  const media = mediaTypeOf(piece.path);
  if (media !== undefined && !context.parts.has('media')) {
    context.skipFile(index, `NOT_MEANT: the steps are for text, and the file is ${media}`);
    return withoutLines([]);
  }
  const format = formatOf(fileTypeOf(formatPathOf(piece)));
  if (piece.place === null || piece.problem !== undefined) {
    return withoutLines(
      processDocument(context, piece, index, { problem: piece.problem ?? 'The file has no content' }),
    );
  }
  const read = openPiece(piece, piece.place, open);
  if (piece.column !== undefined)
    context.describe(index, { format, fields: fieldsOf(context.job.recipe, piece.path) ?? [piece.column.name] });
  if (piece.column !== undefined) return processColumn(context, piece, index, read);
  if (!isRowFormat(format)) {
    if (media !== undefined) return withoutLines(processMedia(context, piece, index, { type: media, read }));
    return withoutLines(processDocument(context, piece, index, { format, read }));
  }
  let isBegun = false;
  const table: ShardContext = {
    ...context,
    sample(options) {
      isBegun = true;
      context.sample(options);
    },
  };
  try {
    return processRows(table, piece, index, { format, read });
  } catch (error) {
    if (!(error instanceof StoredBytesDamaged) || isBegun || piece.range !== undefined) throw error;
    return withoutLines(processDocument(context, piece, index, { damage: error.message }));
  }
}

/** If some rows of a table are the samples, the whole table can't be one: its other rows would be in it. */
function rowsOnly(context: ShardContext, { path }: PlacedPiece): ShardContext {
  return {
    ...context,
    sample(options) {
      if (options.row !== null || options.isEndOfTable === true) {
        context.sample(options);
        return;
      }
      const found = options.read();
      const why = 'problem' in found ? found.problem : 'it is one text';
      throw new SetupError(`${path} can't be read as a table any more: ${why}; correct the task's input`);
    },
  };
}

function withoutLines(outputs: PieceOutput[]): PieceRead {
  return { lineEnds: 0, passed: 0, outputs };
}

function openPiece(piece: PlacedPiece, place: NonNullable<PlacedPiece['place']>, open: OpenPiece): ReadAt {
  const { check } = piece;
  return check === undefined ? open(place) : readChecked(open(place), check, describeDamage(piece.path, check));
}

function failed(step: number | null, reason: string): Judgement {
  return { verdict: 'FAILED', texts: [], step, reason, scores: null };
}

const maxExpectedBytes = 8 << 20;

/** Output is usually about as large as the input; some spare room avoids a copy when it is slightly larger. */
function expectedBytes({ pieces }: ShardJob): number {
  const bytes = pieces.reduce(
    (sum, { range, sizeBytes }) => sum + (range === undefined ? sizeBytes : range.to - range.from),
    0,
  );
  return Math.ceil(bytes * 1.125) + 1024;
}

/** The steps that must see all samples before they judge one; throws SetupError if an operator is not installed. */
export function listSetSteps(steps: readonly Step[], operators: readonly Operator[]): number[] {
  return [...steps.keys()].filter((index) => {
    const step = steps[index];
    return step !== undefined && isSetOperator(getOperator(operators, step));
  });
}
