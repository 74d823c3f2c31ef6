import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import type { Reason } from '../../../kernel/sentences/index.ts';
import type { Match } from '../../../operators/index.ts';
import type { Verdict } from '../../orders/steps.ts';
import type { FlowingSample, SampleSource, StepOutcome, WrittenParts } from '../../orders/sample-parts.ts';

/** The result for one sample: its texts (none if dropped), and the step and reason if it was dropped or failed. */
export type Judgement = {
  readonly verdict: Verdict;
  /** One text per sample written in its place; for a row with several texts all of them, in their order. */
  readonly texts: readonly string[];
  /** Parts that steps wrote besides each text, or into a row with several; undefined if they wrote only texts. */
  readonly written?: readonly (WrittenParts | undefined)[];
  /** Index of the step that dropped the sample or failed on it. */
  readonly step: number | null;
  readonly reason: Reason | null;
  /** The text of the row that the reason refers to, if the row has several. */
  readonly field?: string;
  /**
   * The scores that decided, in the order of the steps. A list, because iterating over an object's keys costs more than
   * processing a short row.
   */
  readonly scores: readonly StepScore[] | null;
};

/** `name` is set for a named figure of the step; the score that decided has none. */
export type StepScore = {
  readonly step: number;
  /** The lowest one, if the row has several texts. */
  readonly score: number;
  readonly name?: string;
  readonly highest?: number;
  /** Passages of the text that occur in other datasets. */
  readonly matches?: readonly Match[];
};

/** Called with the result of each step for a sample; with the reason if the sample failed there. */
export type Trace = (
  step: number,
  before: FlowingSample,
  outcome: StepOutcome | { problem: Reason },
  field?: string,
) => void;

/** A sample as read: its text, or all texts of a row that has several; each of them passes through the steps. */
export type ChainInput =
  | { readonly text: string; readonly source?: SampleSource }
  | { readonly texts: readonly { readonly field: string; readonly text: string }[]; readonly source?: SampleSource };

/** A step failed on a sample. */
export class StepFailure extends ReasonedError {
  readonly step: number;
  constructor(step: number, reason: Reason) {
    super(reason);
    this.step = step;
  }
}

/** The result for a sample with one text; `ended`: why its last dropped part ended. */
export function judgementOf(
  text: string,
  {
    texts,
    written,
    scores,
    ended = { step: null, reason: null },
  }: Pick<Judgement, 'texts' | 'scores'> & {
    written: Judgement['written'] | undefined;
    ended: Pick<Judgement, 'step' | 'reason'> | undefined;
  },
): Judgement {
  if (texts.length === 0) return { verdict: 'DROPPED', texts, ...ended, scores };
  const isSame = texts.length === 1 && texts[0] === text && written === undefined;
  const judgement = { verdict: isSame ? 'KEPT' : 'CHANGED', texts, step: null, reason: null, scores } as const;
  return written === undefined ? judgement : { ...judgement, written };
}

/** The score that an operator decided by, with the matches that it found. */
export function scoreOf(step: number, score: number, matches: readonly Match[] | undefined): StepScore {
  return matches === undefined ? { step, score } : { step, score, matches };
}

/** Sets a step's score. The parts of a split sample pass the same steps: the last part's score is recorded. */
export function setScore(scores: StepScore[] | null, next: StepScore): StepScore[] {
  if (scores === null) return [next];
  let at = scores.length;
  while (at > 0 && (scores[at - 1]?.step ?? -1) > next.step) at -= 1;
  for (let same = at - 1; scores[same]?.step === next.step; same -= 1) {
    if (scores[same]?.name !== next.name) continue;
    scores[same] = next;
    return scores;
  }
  scores.splice(at, 0, next);
  return scores;
}

/** Records the named figures of a step. */
export function setNamedScores(
  scores: StepScore[] | null,
  step: number,
  before: FlowingSample,
  after: FlowingSample,
): StepScore[] | null {
  let all = scores;
  for (const [name, score] of Object.entries(after.scores ?? {})) {
    if (before.scores?.[name] !== score) all = setScore(all, { step, score, name });
  }
  return all;
}

export function isOne(outcome: StepOutcome): outcome is FlowingSample {
  return 'text' in outcome;
}

export function isDrop(outcome: StepOutcome): outcome is Extract<StepOutcome, { verdict: 'drop' }> {
  return 'verdict' in outcome && outcome.verdict === 'drop';
}

export function isChange(outcome: StepOutcome, sample: FlowingSample): boolean {
  if ('verdict' in outcome) return outcome.verdict === 'keep' && !isSame(outcome.sample, sample);
  return !isOne(outcome) || !isSame(outcome, sample);
}

/** Whether no writable part of a sample was changed. */
export function isSame(one: FlowingSample, other: FlowingSample): boolean {
  return one.text === other.text && one.written === other.written;
}
