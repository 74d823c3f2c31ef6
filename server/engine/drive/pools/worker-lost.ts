import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { runSentences, type Reason } from '../../../kernel/sentences/index.ts';
import type { WorkerPlace } from '../../orders/worker-protocol.ts';

/** The step if a whole process was lost, which reports no position. */
export const unknownStep = -2;

/** A worker died or had to be terminated; with the sample that it was processing. */
export class WorkerLost extends ReasonedError {
  override readonly name = 'WorkerLost';
  readonly ordinal: number;
  /** The last sample of the batch that was in the step; `ordinal` for a single sample. */
  readonly last: number;
  readonly step: number;
  constructor(reason: Reason, { ordinal, last, step }: WorkerPlace) {
    super(reason);
    this.ordinal = ordinal;
    this.last = Math.max(ordinal, last);
    this.step = step;
  }
}

/** The sentence about each loss that names the operator whose step the worker was in. */
const codesOfOperators: ReadonlyMap<string, keyof typeof runSentences> = new Map([
  ['OVER_MEMORY', 'OPERATOR_OVER_MEMORY'],
  ['OVER_TIME', 'OPERATOR_OVER_TIME'],
  ['OVER_CPU_TIME', 'OPERATOR_OVER_CPU_TIME'],
  ['THREAD_ENDED', 'OPERATOR_THREAD_ENDED'],
  ['WORKER_PROCESS_ENDED', 'OPERATOR_PROCESS_ENDED'],
  ['WORKER_PROCESS_SILENT', 'OPERATOR_PROCESS_SILENT'],
]);

/** What a worker was lost over: the step of an operator, or reading the sample if there is none. */
export function describeLoss({ step, reason: why }: WorkerLost, operator: string | undefined): Reason {
  if (operator === undefined)
    return step === unknownStep
      ? runSentences.READING_OR_STEPS.reason({ why })
      : runSentences.READING_SAMPLE.reason({ why });
  const { text, sentence } = why;
  const code = sentence === null ? undefined : codesOfOperators.get(sentence.code);
  const params = { operator, ...sentence?.params };
  return { text: `${operator}: ${text}`, sentence: code === undefined ? null : { code, params } };
}
