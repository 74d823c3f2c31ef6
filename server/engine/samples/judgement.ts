import type { FlowingSample, SampleSource, StepOutcome, WrittenParts } from './sample-parts.ts';

/** `SKIPPED`: no part of the input, and counted apart. */
export type Verdict = 'KEPT' | 'CHANGED' | 'DROPPED' | 'FAILED' | 'SKIPPED';

/** What became of one sample: its texts (none when dropped), and where and why when it was dropped or failed. */
export type Judgement = {
  readonly verdict: Verdict;
  /** One for each sample that is written in its place; of a row that has several texts all of them, in their order. */
  readonly texts: readonly string[];
  /** What the steps wrote beside each text, or into the row that has several; missing where they wrote nothing but texts. */
  readonly written?: readonly (WrittenParts | undefined)[];
  /** Index of the step that dropped it or failed. */
  readonly step: number | null;
  readonly reason: string | null;
  /** Which text of the row the reason is about, where it has several. */
  readonly field?: string;
  /** The figures that steps judged by, in the order of the steps: a list, for looking through an object's keys costs more than a short row. */
  readonly scores: readonly StepScore[] | null;
};

/** `name`: of a figure that the step gave a name; the one that it judged by has none. */
export type StepScore = {
  readonly step: number;
  /** The lowest one, where a row has several texts. */
  readonly score: number;
  readonly name?: string;
  readonly highest?: number;
};

/** What one step did, and for how long. */
export type StepFigures = { in: number; changed: number; dropped: number; failed: number; ms: number };

/** Hears what each step made of a sample; of one that failed there, why. */
export type Trace = (
  step: number,
  before: FlowingSample,
  outcome: StepOutcome | { problem: string },
  field?: string,
) => void;

/** A sample as it was read: its text; or the texts of a row that has several, each of which goes through the steps. */
export type ChainInput =
  | { readonly text: string; readonly source?: SampleSource }
  | { readonly texts: readonly { readonly field: string; readonly text: string }[]; readonly source?: SampleSource };

/** A step that failed over a sample. */
export class StepFailure extends Error {
  readonly step: number;
  constructor(step: number, message: string) {
    super(message);
    this.step = step;
  }
}

/** Parts of a split sample are judged by the same steps: the last one's figure stays. */
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

/** The figures that a step gave names. */
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

export function isDrop(outcome: StepOutcome): boolean {
  return 'verdict' in outcome && outcome.verdict === 'drop';
}

export function isChange(outcome: StepOutcome, sample: FlowingSample): boolean {
  if ('verdict' in outcome) return outcome.verdict === 'keep' && !isSame(outcome.sample, sample);
  return !isOne(outcome) || !isSame(outcome, sample);
}

/** Whether nothing of a sample was changed that can be written. */
export function isSame(one: FlowingSample, other: FlowingSample): boolean {
  return one.text === other.text && one.written === other.written;
}
