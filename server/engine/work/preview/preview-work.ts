import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { isSetOperator, type Operator } from '../../../operators/index.ts';
import { listReferringSteps } from '../references/reference-work.ts';
import { readerOf } from '../byte-reader.ts';
import {
  createChain,
  getOperator,
  isSame,
  type Chain,
  type ChainInput,
  type Judgement,
  type Trace,
} from '../samples/chain.ts';
import { judgeAhead, type AheadWatch } from '../samples/judge-ahead.ts';
import { withChanges } from '../samples/row-parts.ts';
import type { FlowingSample, StepOutcome } from '../../orders/sample-parts.ts';
import { EnoughSamples, openSampleWalk, readOffered } from '../samples/sample-walk.ts';
import type { OfferedSample } from '../samples/shard-context.ts';
import { reduceShards } from '../sets/reduction.ts';
import { dropVerdict, readShardDrops, type ShardVerdict } from '../sets/verdict-writer.ts';
import { createSetSteps, type SetSteps, type SetVerdicts } from '../sets/set-steps.ts';
import type { Poison } from '../../orders/shard.ts';
import type { WorkerResources } from '../samples/shard-work.ts';
import { readOrdinals, type SamplePlace } from '../sets/signatures.ts';
import { createPreviewPictures, type PreviewPictures } from './preview-pictures.ts';
import type { PreviewText, PreviewStep, PreviewSample, PreviewJob, PreviewResult } from '../../orders/preview-jobs.ts';

/** Runs samples through the steps and returns the effect of each step. Writes nothing. */
export async function previewSamples(job: PreviewJob, resources: WorkerResources): Promise<PreviewResult> {
  const { steps } = job.recipe;
  const verdicts: SetVerdicts[] = [];
  for (const [step, pinned] of steps.entries()) {
    if (isSetOperator(getOperator(resources.operators, pinned)))
      verdicts.push(await verdictsOf(step, verdicts, job, resources));
  }
  const sets = createSetSteps(null, verdicts);
  /** Built at the end, when all pictures are available. */
  const samples: (() => PreviewSample)[] = [];
  const shownSteps = new Map<number, PreviewStep[]>();
  const lostAt: number[] = [];
  const pictures = createPreviewPictures(job.pictures, resources.progress);
  const traceOf = (ordinal: number): Trace => {
    const shown: PreviewStep[] = [];
    shownSteps.set(ordinal, shown);
    return traceInto(shown, job, (sample) => pictures.numberOf(ordinal, sample));
  };
  const figures = await walkJudged(
    job,
    resources,
    { sets, pictures, traceOf },
    ({ place: { ordinal, row, path: filePath }, line, offered: { receipt = null } }, judgement, isLost) => {
      if (isLost && judgement.step !== null) lostAt.push(judgement.step);
      samples.push(() => ({
        filePath,
        row: row === null ? null : row + 1,
        line: line === null ? null : line + 1,
        verdict: judgement.verdict,
        operatorId: judgement.step === null ? null : (steps[judgement.step]?.operatorId ?? null),
        reason: judgement.reason,
        field: judgement.field ?? null,
        receipt,
        steps: shownSteps.get(ordinal) ?? [],
        texts: judgement.texts.map((text, index) => clip(text, job.maxTextLength, pictures.resultsOf(ordinal)[index])),
        pictures: pictures.of(ordinal),
      }));
    },
    (piece, reason) => {
      const filePath = job.pieces[piece]?.path ?? '';
      const none = { row: null, line: null, field: null, operatorId: null, receipt: null };
      samples.push(() => ({
        ...none,
        steps: [],
        texts: [],
        pictures: [],
        filePath,
        verdict: 'SKIPPED',
        reason,
      }));
    },
  );
  return {
    samples: samples.map((make) => make()),
    steps: steps.map(({ operatorId }, step) => {
      const { in: reached = 0, changed = 0, dropped = 0, failed = 0 } = figures[step] ?? {};
      // A sample that crashed its worker had reached all steps up to the crash.
      const lost = lostAt.filter((at) => at >= step).length;
      const lostHere = lostAt.filter((at) => at === step).length;
      return { operatorId, in: reached + lost, changed, dropped, failed: failed + lostHere };
    }),
  };
}

/** A sample by its place in its file: `row` and `line` are null where they are not known. */
type Shown = { place: SamplePlace; line: number | null; offered: OfferedSample };

type Visit = (sample: Shown, judgement: Omit<Judgement, 'scores'>, isLost: boolean) => void;

/** Judges the samples of the job and shows them in their order; returns the counts of the steps. */
async function walkJudged(
  job: PreviewJob,
  resources: WorkerResources,
  { sets, pictures, traceOf }: { sets: SetSteps; pictures: PreviewPictures; traceOf?: (ordinal: number) => Trace },
  visit: Visit,
  onSkip?: (piece: number, reason: Reason) => void,
): Promise<Chain['figures']> {
  const { operators, effects, progress } = resources;
  const { steps } = job.recipe;
  const recorded = recordedOf(job, operators);
  const options = { beforeStep: progress.step, setStep: sets.setStep, indexes: job.indexes, recorded };
  const chain = createChain({ operators, steps, effects, ...options });
  const watch: AheadWatch = {
    passed: pictures.shrink,
    judged: ({ place, input }, judgement) => pictures.end(place.ordinal, input.source, judgement),
  };
  const judgements =
    chain.together === undefined
      ? undefined
      : await judgeAhead(chain, job, { sets, progress, watch }, (add) => {
          visitShown(job, resources, chain.parts, ({ place, offered }, lost) => {
            const found = readOffered(offered, lost);
            if (!('problem' in found)) add(place, found, traceOf?.(place.ordinal));
          });
        });
  // Without batch steps, judging is synchronous: thumbnails are made afterwards.
  const atEnd: (() => Promise<unknown>)[] = [];
  const judge = (place: SamplePlace, found: ChainInput): Judgement => {
    const { ordinal } = place;
    const known = judgements?.get(ordinal);
    if (known !== undefined) return known;
    sets.enter(place);
    const judgement = chain.judge(found, traceOf?.(ordinal));
    const media = found.source?.media?.() ?? [];
    if (media.length > 0) {
      for (const { release } of media) release?.();
      atEnd.push(() => pictures.end(ordinal, found.source, judgement));
    }
    return judgement;
  };
  visitShown(
    job,
    resources,
    chain.parts,
    (sample, lost) => {
      const found = readOffered(sample.offered, lost);
      const { place } = sample;
      visit(sample, 'problem' in found ? unread(found.problem, lost) : judge(place, found), lost !== undefined);
    },
    onSkip,
  );
  for (const end of atEnd) await end();
  return chain.figures;
}

/** The judgement of a sample that could not be read, or was lost with its worker. */
function unread(reason: Reason, lost: Poison | undefined): Omit<Judgement, 'scores'> {
  return { verdict: 'FAILED', texts: [], step: lost?.step ?? null, reason };
}

/** The recorded outcomes of steps that compare with other datasets; all other steps run again. */
function recordedOf({ recorded, recipe }: PreviewJob, operators: readonly Operator[]): PreviewJob['recorded'] {
  if (recorded === undefined) return undefined;
  const referring = listReferringSteps(recipe.steps, operators);
  return new Map([...recorded].filter(([step]) => referring.some((one) => one.step === step)));
}

/** Visits the samples of the job that a preview shows. */
function visitShown(
  job: PreviewJob,
  resources: WorkerResources,
  parts: Chain['parts'],
  visit: (sample: Shown, lost: Poison | undefined) => void,
  onSkip: (piece: number, reason: Reason) => void = () => {},
): void {
  const end = job.skip + job.limit;
  // The rows of a cut file continue where the previous piece ended.
  let first = { firstRow: job.firstRow, firstLine: job.firstLine };
  const walk = openSampleWalk(job, resources, {
    parts,
    takes(number) {
      if (number < job.skip) return false;
      // A single known sample is shown regardless of how many samples are skipped before it.
      const isEnd = job.decided !== 'compare' && number >= end;
      if (isEnd || walk.counts.samples === job.limit) throw new EnoughSamples();
      return true;
    },
    skipFile(piece, reason, number) {
      if (number >= end) throw new EnoughSamples();
      if (number >= job.skip) onSkip(piece, reason);
    },
    sample(place, offered, lost) {
      const { firstRow, firstLine } = job.pieces[place.piece]?.drawn ?? first;
      const row = place.row === null || firstRow === null ? null : firstRow + place.row;
      const line = offered.line === undefined || firstLine === null ? null : firstLine + offered.line;
      visit({ place: { ...place, row }, line, offered }, lost);
    },
  });
  try {
    for (const [index, piece] of job.pieces.entries()) {
      const before = walk.counts.rows;
      const { lineEnds } = walk.piece(piece, index);
      const goesOn = job.pieces[index + 1]?.fileId === piece.fileId;
      const { firstRow, firstLine } = first;
      first = {
        firstRow: goesOn ? firstRow + walk.counts.rows - before : 0,
        firstLine: goesOn && firstLine !== null ? firstLine + lineEnds : 0,
      };
    }
  } catch (error) {
    if (!(error instanceof EnoughSamples)) throw error;
  }
}

/** The verdicts of a set step on the samples that reach it. */
async function verdictsOf(
  step: number,
  before: readonly SetVerdicts[],
  job: PreviewJob,
  resources: WorkerResources,
): Promise<SetVerdicts> {
  const sets = createSetSteps(step, before);
  const pictures = createPreviewPictures(undefined, resources.progress);
  await walkJudged(job, resources, { sets, pictures }, () => {});
  const signatures = sets.collector?.bytes(job.pieces.map(({ path }) => path)) ?? new Uint8Array(0);
  const read = readerOf(signatures);
  const ordinals = readOrdinals(read);
  if (job.decided !== 'compare') {
    const known = job.decided.find((decision) => decision.step === step);
    const drops = new Map<number, ShardVerdict>();
    if (known !== undefined)
      for (const index of ordinals.keys()) drops.set(index, dropVerdict(index, known.score, known.reason));
    return { step, ordinals, drops };
  }
  const pinned = job.recipe.steps[step];
  const operator = pinned === undefined ? undefined : getOperator(resources.operators, pinned);
  if (pinned === undefined || operator === undefined || !isSetOperator(operator))
    throw new RangeError(`No step ${step}`);
  const written: Uint8Array[] = [];
  const references = (job.references?.get(step) ?? []).map(({ bytes, firstRow }) => {
    return { read: readerOf(bytes), firstRow };
  });
  reduceShards(operator.all(pinned.params), [{ read, firstRow: 0 }], {
    references,
    write: (bytes) => {
      written.push(bytes);
    },
    beat: () => {},
  });
  const decisions = Buffer.concat(written);
  return { step, ordinals, drops: readShardDrops(readerOf(decisions), decisions.length, 0) };
}

type NumberOf = (sample: FlowingSample) => number | undefined;

function traceInto(shown: PreviewStep[], { recipe, maxTextLength }: PreviewJob, numberOf: NumberOf): Trace {
  return (step, before, outcome, field) => {
    const operatorId = recipe.steps[step]?.operatorId ?? '';
    const showsColumns =
      !('problem' in outcome) && samplesOf(outcome).some(({ written }) => written !== before.written);
    const shownBefore = clip(textShown(before, showsColumns), maxTextLength, numberOf(before));
    shown.push({
      step,
      operatorId,
      before: shownBefore,
      field: field ?? null,
      ...resultOf(before, outcome, { maxTextLength, showsColumns, numberOf }),
    });
  };
}

function resultOf(
  before: FlowingSample,
  outcome: Parameters<Trace>[2],
  { maxTextLength, showsColumns, numberOf }: { maxTextLength: number; showsColumns: boolean; numberOf: NumberOf },
): Pick<PreviewStep, 'verdict' | 'after' | 'score' | 'matches' | 'reason'> {
  if ('problem' in outcome) {
    return { verdict: 'FAILED', after: [], score: null, matches: [], reason: outcome.problem };
  }
  const matches = 'verdict' in outcome ? [...(outcome.matches ?? [])] : [];
  if ('verdict' in outcome && outcome.verdict === 'drop') {
    const { score = null, reason } = outcome;
    return { verdict: 'DROPPED', after: [], score, matches, reason };
  }
  const score = 'verdict' in outcome ? outcome.score : null;
  const samples = samplesOf(outcome);
  const isUnchanged = samples.length === 1 && samples.every((sample) => isSame(sample, before));
  const reason = samples.length === 0 ? inputProblems.SPLIT_INTO_NOTHING.reason({}) : null;
  const verdict = samples.length === 0 ? 'DROPPED' : isUnchanged ? 'KEPT' : 'CHANGED';
  return {
    verdict,
    after: samples.map((sample) => clip(textShown(sample, showsColumns), maxTextLength, numberOf(sample))),
    score,
    matches,
    reason,
  };
}

function samplesOf(outcome: StepOutcome): readonly FlowingSample[] {
  if ('verdict' in outcome) return outcome.verdict === 'drop' ? [] : [outcome.sample];
  return 'text' in outcome ? [outcome] : outcome;
}

/** The text; after a step that wrote columns, all columns as JSON, in the order in which a run writes them. */
function textShown({ text, source, written }: FlowingSample, showsColumns: boolean): string {
  const row = showsColumns ? source?.columns?.() : undefined;
  if (row === undefined) return text;
  const name = source?.textColumn;
  const { fields, textName } = written ?? {};
  const changes =
    textName === undefined || name === undefined ? fields : { ...fields, [name]: undefined, [textName]: text };
  return JSON.stringify(withChanges(name === undefined ? row : { ...row, [name]: text }, changes ?? {}));
}

function clip(text: string, maxLength: number, picture: number | undefined): PreviewText {
  const truncated = text.length > maxLength;
  const shown = truncated ? text.slice(0, maxLength).toWellFormed() : text;
  return { text: shown, truncated, length: text.length, ...(picture === undefined ? {} : { picture }) };
}
