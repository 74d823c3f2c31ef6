import { inputProblems } from '../../../kernel/sentences/index.ts';
import {
  isChange,
  isDrop,
  isOne,
  scoreOf,
  setNamedScores,
  StepFailure,
  type ChainInput,
  type Judgement,
  type StepScore,
  type Trace,
} from './judgement.ts';
import type { StepFigures } from '../../orders/steps.ts';
import type { FlowingSample, StepOutcome } from '../../orders/sample-parts.ts';

/** What rows with several texts need from a chain. */
export type SeveralSteps = {
  /** For each step, whether it compares all samples. */
  readonly comparesAll: readonly boolean[];
  /** For each step, whether it reads or writes texts; any other step processes the row once. */
  readonly usesText: readonly boolean[];
  call(step: number, sample: FlowingSample, trace: Trace | undefined, field?: string): StepOutcome;
  figureOf(step: number): StepFigures;
};

export type SeveralInput = Extract<ChainInput, { texts: unknown }>;

/** The input of a step: the row with one of its texts, and that text's field if the row has several. */
export type TextCall = { readonly sample: FlowingSample; readonly field: string | undefined };

/** Calls a step with the row as earlier texts left it; `index` counts the texts that the step sees. */
export type StepCall = (sample: FlowingSample, index: number, field: string | undefined) => StepOutcome;

/** A row with several texts on its way through the steps. */
export type SeveralFlow = {
  /** The inputs of the step, from the row as it is before the step; empty if the row has ended. */
  callsOf(step: number): readonly TextCall[];
  /** Passes the texts through one step. */
  pass(step: number, call: StepCall): void;
  judgement(): Judgement;
};

/**
 * Judges a row with several texts: each step processes all of them before the next step starts. The row is dropped,
 * failed or changed when any of its texts is. A step that compares all samples gets the texts joined by line breaks:
 * whole rows are deduplicated, not their parts.
 */
export function judgeSeveral(steps: SeveralSteps, input: SeveralInput, trace: Trace | undefined): Judgement {
  const flow = openSeveral(steps, input);
  for (const step of steps.comparesAll.keys()) {
    flow.pass(step, (sample, _index, field) => steps.call(step, sample, trace, field));
  }
  return flow.judgement();
}

export function openSeveral(
  { comparesAll, usesText, figureOf }: SeveralSteps,
  { texts, source }: SeveralInput,
): SeveralFlow {
  let row: FlowingSample = source === undefined ? { text: '' } : { text: '', source };
  let current = texts.map(({ text }) => text);
  let scores: StepScore[] | null = null;
  let ended: Judgement | undefined;

  function take(step: number, sample: FlowingSample): void {
    if (sample.scores !== row.scores) scores = setNamedScores(scores, step, row, sample);
    row = sample;
  }

  function record(step: number, outcome: StepOutcome): void {
    if ('verdict' in outcome) {
      if (outcome.score !== undefined) scores = widenScore(scores, scoreOf(step, outcome.score, outcome.matches));
      if (outcome.verdict === 'keep') take(step, outcome.sample);
    } else if (isOne(outcome)) {
      take(step, outcome);
    } else {
      throw new StepFailure(step, inputProblems.ROW_NOT_SPLIT.reason({}));
    }
  }

  /** The texts that a step sees: each one, all joined into one, or an empty one for a step that uses no text. */
  function seenBy(step: number): { seen: readonly string[]; isEach: boolean } {
    if (comparesAll[step] === true) return { seen: [current.join('\n')], isEach: false };
    return usesText[step] === false ? { seen: [''], isEach: false } : { seen: current, isEach: true };
  }

  const isOver = (): boolean => ended !== undefined || texts.length === 0;

  return {
    callsOf(step) {
      if (isOver()) return [];
      const { seen, isEach } = seenBy(step);
      return seen.map((text, index) => ({
        sample: { ...row, text },
        field: isEach ? texts[index]?.field : undefined,
      }));
    },
    pass(step, call) {
      if (isOver()) return;
      const figure = figureOf(step);
      figure.in += 1;
      let field: string | undefined;
      let dropped: Pick<Judgement, 'reason' | 'field'> | undefined;
      let isChanged = false;
      try {
        const { seen, isEach } = seenBy(step);
        const after = seen.map((text, index) => {
          field = isEach ? texts[index]?.field : undefined;
          const before = { ...row, text };
          const outcome = call(before, index, field);
          record(step, outcome);
          if (isDrop(outcome)) dropped ??= { reason: outcome.reason, ...(field === undefined ? {} : { field }) };
          else if (isChange(outcome, before)) isChanged = true;
          return isDrop(outcome) ? text : row.text;
        });
        if (isEach) current = after;
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error;
        figure.failed += 1;
        const failed = { verdict: 'FAILED', texts: [], step, reason: error.reason, scores } as const;
        ended = field === undefined ? failed : { ...failed, field };
        return;
      }
      if (dropped !== undefined) {
        figure.dropped += 1;
        ended = { verdict: 'DROPPED', texts: [], step, scores, ...dropped };
      } else if (isChanged) figure.changed += 1;
    },
    judgement() {
      if (ended !== undefined) return ended;
      const { written } = row;
      const isSame = written === undefined && current.every((text, index) => text === texts[index]?.text);
      const judgement = { texts: current, step: null, reason: null, scores } as const;
      if (isSame) return { verdict: 'KEPT', ...judgement };
      return { verdict: 'CHANGED', ...judgement, ...(written === undefined ? {} : { written: [written] }) };
    },
  };
}

/**
 * Widens a step's score to the lowest and highest value, so that thresholds in either direction can be re-evaluated.
 */
function widenScore(scores: StepScore[] | null, next: StepScore): StepScore[] {
  const { step, score, matches } = next;
  const all = scores ?? [];
  const at = all.findIndex((one) => one.step === step && one.name === undefined);
  const known = all[at];
  if (known === undefined) all.push({ ...next, highest: score });
  else {
    const highest = Math.max(known.highest ?? known.score, score);
    const found = [...(known.matches ?? []), ...(matches ?? [])];
    all[at] = scoreOf(step, Math.min(known.score, score), found.length === 0 ? undefined : found);
    all[at] = { ...all[at], highest };
  }
  return all;
}
