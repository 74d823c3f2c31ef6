import { codedReason, reasonWith, type Coded, type Reason, type Sentence } from '../../kernel/sentences/index.ts';

/** A verdict of a ledger; a line of an earlier release lacks the sentence, which is found by the words of the reason. */
type Judged = { reason: string | null; sentence?: Sentence | null | undefined };

/** Replaces the sentence of the reason by its code and values. */
export function withReasonCode<T extends Judged>(judged: T): Omit<T, 'sentence'> & Coded<'reason'> {
  const { sentence, ...rest } = judged;
  return { ...rest, ...codedReason('reason', judged.reason === null ? null : reasonWith(judged.reason, sentence)) };
}

/** The same for what a preview shows, whose reasons have their sentences. */
export function withCodedReason<T extends { reason: Reason | null }>(shown: T): Omit<T, 'reason'> & Coded<'reason'> {
  const { reason, ...rest } = shown;
  return { ...rest, ...codedReason('reason', reason) };
}
