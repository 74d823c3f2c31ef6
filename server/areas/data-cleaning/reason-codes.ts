import { coded, readSentence, type Coded, type Sentence } from '../../kernel/sentences/index.ts';

/** Adds the code of the reason to a verdict on a sample or an effect of a step. */
export function withReasonCode<T extends { reason: string | null }>(judged: T): T & Coded<'reason'> {
  return { ...judged, ...coded('reason', judged.reason) };
}

/** Adds the parsed sentences of the warnings to a document's receipt. */
export function withSentences<T extends { warnings: string[] }>(
  receipt: T | null,
): (T & { warningSentences: (Sentence | null)[] }) | null {
  return receipt === null ? null : { ...receipt, warningSentences: receipt.warnings.map(readSentence) };
}
