import { ReasonedError } from '../../kernel/reasoned-error.ts';
import type { Reason } from '../../kernel/sentences/index.ts';
/** A position in a statement; line and column count from 1, columns in characters. */
export type QueryPlace = { line: number; column: number };

/** A statement is refused, invalid, or needs too many resources; the message says why. */
export class QueryProblem extends ReasonedError {
  override readonly name = 'QueryProblem';
  readonly place: QueryPlace | undefined;

  constructor(reason: Reason, place?: QueryPlace, options?: ErrorOptions) {
    super(reason, options);
    this.place = place;
  }
}

/** The position of a UTF-8 byte offset, which DuckDB reports; undefined if it is outside the text. */
export function placeAt(sql: string, byteOffset: number): QueryPlace | undefined {
  const bytes = Buffer.from(sql);
  if (!Number.isInteger(byteOffset) || byteOffset < 0 || byteOffset > bytes.length) return undefined;
  const before = bytes.toString('utf8', 0, byteOffset).split('\n');
  return { line: before.length, column: Array.from(before.at(-1) ?? '').length + 1 };
}
