import { coded, readSentence, type Coded, type Sentence } from '../../kernel/sentences.ts';

/** The verdict on a sample, or the effect of a step, with the code of its reason. */
export function withReasonCode<T extends { reason: string | null }>(judged: T): T & Coded<'reason'> {
  return { ...judged, ...coded('reason', judged.reason) };
}

/** The receipt of a document with the sentences of its warnings. */
export function withSentences<T extends { warnings: string[] }>(
  receipt: T | null,
): (T & { warningSentences: (Sentence | null)[] }) | null {
  return receipt === null ? null : { ...receipt, warningSentences: receipt.warnings.map(readSentence) };
}
