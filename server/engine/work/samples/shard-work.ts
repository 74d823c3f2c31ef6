import { noCounts } from '../../../kernel/counts.ts';
import { countFailure, type FailureCounts } from '../../../kernel/failure-counts.ts';
import type { Reason } from '../../../kernel/sentences/index.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { isSetOperator, type OperatorEffects, type Operator } from '../../../operators/index.ts';
import { createAsideWriter } from './aside-writer.ts';
import { createRowOutput } from './row-output.ts';
import { createByteCollector } from '../byte-collector.ts';
import { createChain, getOperator, needsBatches, type Chain, type ChainInput, type Judgement } from './chain.ts';
import type { Step } from '../../orders/steps.ts';
import { judgeAhead } from './judge-ahead.ts';
import type { Damage, OfferedSample, Refusal } from './shard-context.ts';
import type { SampleProgress } from './sample-progress.ts';
import { openSampleWalk, type SampleVisitor } from './sample-walk.ts';
import { createLedgerWriter } from './ledger.ts';
import type { ResultMemory } from '../../orders/result-memory.ts';
import { readShardDrops } from '../sets/verdict-writer.ts';
import { createSetSteps, type SetSteps, type SetVerdicts } from '../sets/set-steps.ts';
import type {
  InputFacts,
  PlacedVerdicts,
  Poison,
  ShardJob,
  ShardResult,
  SignJob,
  SignResult,
} from '../../orders/shard.ts';
import { openNotes, type OpenPiece } from '../notes.ts';
import { readOrdinals, type SamplePlace } from '../sets/signatures.ts';

/** Resources of a worker. */
export type WorkerResources = {
  operators: readonly Operator[];
  /** Effects available to batch steps. */
  effects: (step: number) => OperatorEffects;
  open: OpenPiece;
  progress: SampleProgress;
  memory?: ResultMemory;
};

/** Judges the samples of a pass that writes. */
type Judge = Pick<Chain, 'parts' | 'figures' | 'writesColumns' | 'onlyWriter'> & {
  judge(place: SamplePlace, input: ChainInput): Judgement;
  /** The judgements of samples judged ahead, by ordinal. */
  readonly judged?: ReadonlyMap<number, Judgement>;
  readonly damage: Damage;
};

/** Whether any step processes samples in batches. */
export function takesBatches(steps: readonly Step[], operators: readonly Operator[]): boolean {
  return steps.some((step) => needsBatches(getOperator(operators, step)));
}

/**
 * Runs all steps on each sample of a shard and returns output, ledger and counts. Deterministic: the same input gives
 * the same output. With batch steps the bytes are read twice, otherwise once.
 */
export async function processShardInBatches(job: ShardJob, resources: WorkerResources): Promise<ShardResult> {
  const sets = createSetSteps(null, readVerdicts(job.verdicts, resources.open));
  const chain = openChain(job, resources, sets);
  const { parts, figures, writesColumns, onlyWriter } = chain;
  const damage = noDamage();
  const judgements = await judgeAhead(chain, job, { ...resources, sets }, (add) => {
    visitReadable(job, resources, { parts, damage }, add);
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

/** The same, sample by sample: no step may process batches. */
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

function noDamage(): Damage {
  return { media: new Set(), messages: [] };
}

/** Reads a shard once and writes the result of each sample. */
function writeShard(job: ShardJob, resources: WorkerResources, chain: Judge): ShardResult {
  const { memory } = resources;
  const ledger = createLedgerWriter(memory?.ledger);
  const bytes = createByteCollector(Math.min(expectedBytes(job), maxExpectedBytes), memory?.output);
  const { output } = job.recipe;
  const rowOutput = output === undefined ? undefined : createRowOutput(bytes, output);
  const counts = { ...noCounts };
  const { parts, writesColumns, onlyWriter, damage } = chain;
  const failures: FailureCounts = new Map();
  const inputs: (InputFacts | null)[] = job.pieces.map(() => null);
  const aside = createAsideWriter(job.recipe.onError);

  function judge(
    place: SamplePlace,
    { read, isReadOnce = false }: OfferedSample,
    lost: Poison | undefined,
  ): { judgement: Judgement; isUnread: boolean } {
    if (lost !== undefined) return { judgement: failed(lost.step, lost.reason), isUnread: false };
    const known = isReadOnce ? chain.judged?.get(place.ordinal) : undefined;
    if (known !== undefined) return { judgement: known, isUnread: false };
    const found = read();
    if (!('problem' in found)) return { judgement: chain.judge(place, found), isUnread: false };
    return { judgement: failed(null, found.problem), isUnread: found.isUnread === true };
  }

  const walk = openSampleWalk(job, resources, {
    parts,
    output: { writesColumns, onlyWriter, bytes, rowOutput },
    damage,
    damaged: (message) => damage.messages.push(message),
    skipFile(piece, reason) {
      inputs[piece] = { format: fileTypeOf(job.pieces[piece]?.path ?? ''), ...skippedFor(reason) };
      ledger.write(piece, null, { verdict: 'SKIPPED', step: null, reason, scores: null });
    },
    skipRow({ piece, row, line }, reason) {
      ledger.write(piece, row, { verdict: 'SKIPPED', step: null, reason, scores: null }, { line });
    },
    describe(piece, input) {
      inputs[piece] = input;
    },
    sample(place, offered, lost) {
      const { piece, row } = place;
      const { line, refuse, receipt } = offered;
      counts.in += 1;
      const { judgement: judged, isUnread } = judge(place, offered, lost);
      const refusal = judged.verdict === 'CHANGED' ? refuse?.(judged) : undefined;
      const judgement = refusal === undefined ? judged : refused(refusal);
      if (judgement.verdict === 'DROPPED') counts.dropped += 1;
      else if (judgement.verdict === 'FAILED') {
        counts.failed += 1;
        if (judgement.reason !== null) countFailure(failures, judgement.reason);
      } else counts.kept += 1;
      if (judgement.verdict === 'CHANGED') counts.changed += 1;
      const emitted = offered.write(judgement);
      counts.emitted += emitted;
      const found = judgement.verdict === 'FAILED' ? offered.raw?.() : undefined;
      const raw = found === undefined ? undefined : aside.take(piece, found, { isUnread, isWritten: emitted > 0 });
      ledger.write(piece, row, judgement, { raw, receipt, line });
    },
  });
  const pieces = job.pieces.map((piece, index) => {
    const before = walk.counts.rows;
    const emittedBefore = counts.emitted;
    const result = walk.piece(piece, index);
    const rows = walk.counts.rows - before + result.passed;
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
    skipped: walk.counts.skipped,
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
  const samples = visitReadable(job, resources, { parts: chain.parts }, (place, input) => {
    sets.enter(place);
    chain.judge(input);
  });
  return signResult(job, sets, samples);
}

/** The same for steps that process batches. */
export async function signShardInBatches(job: SignJob, resources: WorkerResources): Promise<SignResult> {
  const sets = createSetSteps(job.signStep, readVerdicts(job.verdicts, resources.open));
  const chain = openChain(job, resources, sets);
  let samples = 0;
  await judgeAhead(chain, job, { ...resources, sets }, (add) => {
    samples = visitReadable(job, resources, { parts: chain.parts }, add);
  });
  return signResult(job, sets, samples);
}

function signResult(job: SignJob, { collector }: SetSteps, samples: number): SignResult {
  if (collector === undefined) throw new RangeError(`Step ${job.signStep} does not see the whole set`);
  return { samples, signatures: collector.bytes(job.pieces.map(({ path }) => path)) };
}

/** Visits the samples of a shard that can be read and crash no worker; returns the number of all its rows. */
function visitReadable(
  job: ShardJob,
  resources: Pick<WorkerResources, 'progress' | 'open'>,
  given: Pick<SampleVisitor, 'parts' | 'damage'>,
  visit: (place: SamplePlace, input: ChainInput) => void,
): number {
  const walk = openSampleWalk(job, resources, {
    ...given,
    sample(place, { read }, lost) {
      const found = lost === undefined ? read() : undefined;
      if (found !== undefined && !('problem' in found)) visit(place, found);
    },
  });
  walk.all();
  return walk.counts.rows + walk.counts.passed;
}

function readVerdicts(placed: readonly PlacedVerdicts[], open: OpenPiece): SetVerdicts[] {
  return placed.map(({ step, slot, signatures, drops }) => ({
    step,
    ordinals: readOrdinals(openNotes(signatures, open)),
    drops: readShardDrops(open(drops), drops.sizeBytes, slot),
  }));
}

function failed(step: number | null, reason: Reason): Judgement {
  return { verdict: 'FAILED', texts: [], step, reason, scores: null };
}

function refused(refusal: Reason | Refusal): Judgement {
  return 'step' in refusal ? failed(refusal.step, refusal.reason) : failed(null, refusal);
}

function skippedFor({ text, sentence }: Reason): Pick<InputFacts, 'skipped' | 'skippedSentence'> {
  return { skipped: text, skippedSentence: sentence };
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
