import type { Sentence } from '../../kernel/sentences/index.ts';
import type { DocumentReceipt } from '../../documents/receipt.ts';
import type { Match } from '../../operators/references.ts';
import type { Verdict } from './steps.ts';

/**
 * A failed sample: its place in the source, the beginning of its text if it couldn't be read, and the offset of its
 * bytes in the shard's set-aside bytes (`file`: the whole file was set aside).
 */
export type RawSample = { text?: string; start: number; lengthBytes: number; aside?: number | 'file' };

/** The place of the sentence of a reason in the words of others. */
export const wordsOfOthers = 'others';

/**
 * One line of a shard's ledger, a JSON array: index of the piece, row within the piece (from 0; null for a document),
 * verdict, index of the step, reason, scores by step (key `1`, or `1:name` for a named figure), place of a failed
 * sample, receipt of a document, line within the piece from 0 unless it directly follows the previous row's line, matches, sentence of the reason.
 * Trailing nulls are left out.
 */
export type LedgerLine = [
  piece: number,
  row: number | null,
  verdict: Verdict,
  step?: number | null,
  /** With the field that it refers to, if the row has several texts. */
  reason?: string | readonly [field: string, reason: string] | null,
  /** The lowest and the highest score, if the row has several texts. */
  scores?: Readonly<Record<string, number | readonly [lowest: number, highest: number]>> | null,
  raw?: RawSample | null,
  receipt?: DocumentReceipt | null,
  line?: number | null,
  /** By step: passages of the text that occur in the datasets that the step compares with. */
  matches?: Readonly<Record<string, readonly Match[]>> | null,
  /** Lines of earlier releases have none: the sentence is then found by the words of the reason. */
  sentence?: Sentence | typeof wordsOfOthers | null,
];
