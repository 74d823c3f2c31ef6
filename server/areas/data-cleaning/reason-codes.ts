import { codedReason, readSentence, reasonWith, type Coded, type Sentence } from '../../kernel/sentences/index.ts';

/** A verdict on a sample or an effect of a step; without its sentence, the reason is found by its words. */
type Judged = { reason: string | null; sentence?: Sentence | null | undefined };

/** Replaces the sentence of the reason by its code and values. */
export function withReasonCode<T extends Judged>(judged: T): Omit<T, 'sentence'> & Coded<'reason'> {
  const { sentence, ...rest } = judged;
  return { ...rest, ...codedReason('reason', judged.reason === null ? null : reasonWith(judged.reason, sentence)) };
}

/** Adds the parsed sentences of the warnings to a document's receipt. */
export function withSentences<T extends { warnings: string[] }>(
  receipt: T | null,
): (T & { warningSentences: (Sentence | null)[] }) | null {
  return receipt === null ? null : { ...receipt, warningSentences: receipt.warnings.map(readSentence) };
}
