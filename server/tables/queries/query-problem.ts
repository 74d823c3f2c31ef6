/** A place in a statement; both from 1, the column in characters. */
export type QueryPlace = { line: number; column: number };

/** A statement is refused, is wrong, or needs too much; the message says why. */
export class QueryProblem extends Error {
  override readonly name = 'QueryProblem';
  readonly place: QueryPlace | undefined;

  constructor(message: string, place?: QueryPlace, options?: ErrorOptions) {
    super(message, options);
    this.place = place;
  }
}

/** The place of an offset in bytes of UTF-8, in which DuckDB counts; undefined if it is not in the text. */
export function placeAt(sql: string, byteOffset: number): QueryPlace | undefined {
  const bytes = Buffer.from(sql);
  if (!Number.isInteger(byteOffset) || byteOffset < 0 || byteOffset > bytes.length) return undefined;
  const before = bytes.toString('utf8', 0, byteOffset).split('\n');
  return { line: before.length, column: Array.from(before.at(-1) ?? '').length + 1 };
}
