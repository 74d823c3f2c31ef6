import {
  isChange,
  isDrop,
  isOne,
  setNamedScores,
  StepFailure,
  type ChainInput,
  type Judgement,
  type StepFigures,
  type StepScore,
  type Trace,
} from './judgement.ts';
import type { FlowingSample, StepOutcome } from './sample-parts.ts';

/** The interface of a chain that `judgeSeveral` needs. */
export type SeveralSteps = {
  /** For each step, whether it compares all samples. */
  readonly comparesAll: readonly boolean[];
  /** For each step, whether it reads or writes texts; any other step processes the row once. */
  readonly usesText: readonly boolean[];
  call(step: number, sample: FlowingSample, trace: Trace | undefined, field?: string): StepOutcome;
  figureOf(step: number): StepFigures;
};

type SeveralInput = Extract<ChainInput, { texts: unknown }>;

/**
 * Judges a row with several texts: each step processes all of them before the next step starts. The row is dropped,
 * failed or changed when any of its texts is. A step that compares all samples gets the texts joined by line breaks:
 * whole rows are deduplicated, not their parts.
 */
export function judgeSeveral(
  { comparesAll, usesText, call, figureOf }: SeveralSteps,
  { texts, source }: SeveralInput,
  trace: Trace | undefined,
): Judgement {
  let row: FlowingSample = source === undefined ? { text: '' } : { text: '', source };
  let current = texts.map(({ text }) => text);
  let scores: StepScore[] | null = null;

  /** Runs one step on one text, with the row's other parts as the previous steps left them. */
  function callOne(step: number, text: string, field: string | undefined): StepOutcome {
    const outcome = call(step, { ...row, text }, trace, field);
    if ('verdict' in outcome) {
      if (outcome.score !== undefined) scores = widenScore(scores, step, outcome.score);
      if (outcome.verdict === 'keep') take(step, outcome.sample);
    } else if (isOne(outcome)) {
      take(step, outcome);
    } else {
      throw new StepFailure(step, 'a row with several texts can not be split');
    }
    return outcome;
  }

  function take(step: number, sample: FlowingSample): void {
    if (sample.scores !== row.scores) scores = setNamedScores(scores, step, row, sample);
    row = sample;
  }

  for (const [step, isOverAll] of current.length === 0 ? [] : comparesAll.entries()) {
    const figure = figureOf(step);
    figure.in += 1;
    let field: string | undefined;
    let dropped: { reason: string; field?: string } | undefined;
    let isChanged = false;
    try {
      const isOverRow = !isOverAll && usesText[step] === false;
      const seen = isOverAll ? [current.join('\n')] : isOverRow ? [''] : current;
      const after = seen.map((text, index) => {
        field = isOverAll || isOverRow ? undefined : texts[index]?.field;
        const before = { ...row, text };
        const outcome = callOne(step, text, field);
        if (isDrop(outcome)) dropped ??= { reason: reasonOf(outcome), ...(field === undefined ? {} : { field }) };
        else if (isChange(outcome, before)) isChanged = true;
        return isDrop(outcome) ? text : row.text;
      });
      if (!isOverAll && !isOverRow) current = after;
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      figure.failed += 1;
      const failed = { verdict: 'FAILED', texts: [], step, reason: error.message, scores } as const;
      return field === undefined ? failed : { ...failed, field };
    }
    if (dropped !== undefined) {
      figure.dropped += 1;
      return { verdict: 'DROPPED', texts: [], step, scores, ...dropped };
    }
    if (isChanged) figure.changed += 1;
  }
  const { written } = row;
  const isSame = written === undefined && current.every((text, index) => text === texts[index]?.text);
  const judgement = { texts: current, step: null, reason: null, scores } as const;
  if (isSame) return { verdict: 'KEPT', ...judgement };
  return { verdict: 'CHANGED', ...judgement, ...(written === undefined ? {} : { written: [written] }) };
}

function reasonOf(outcome: StepOutcome): string {
  return 'verdict' in outcome && outcome.verdict === 'drop' ? outcome.reason : '';
}

/**
 * Widens a step's score to the lowest and highest value, so that thresholds of either direction can be re-evaluated.
 */
function widenScore(scores: StepScore[] | null, step: number, score: number): StepScore[] {
  const all = scores ?? [];
  const at = all.findIndex((one) => one.step === step && one.name === undefined);
  const known = all[at];
  if (known === undefined) all.push({ step, score, highest: score });
  else {
    const highest = Math.max(known.highest ?? known.score, score);
    all[at] = { step, score: Math.min(known.score, score), highest };
  }
  return all;
}
