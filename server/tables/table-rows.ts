import type { Reason } from '../kernel/sentences/index.ts';
import type { ValueChange } from './json-values.ts';

/** A part of a table: a row (`[start, end)` without its line end), or bytes between rows (header, blank lines). */
export type RowPart = { kind: 'row' | 'filler'; start: number; end: number; next: number };

/** Text of a row; or why there is none, and whether the row itself is unreadable. */
export type RowText = { text: string } | RowProblem;

export type RowProblem = { problem: Reason; isUnread: boolean };

/** The rows of a block of a table, and the bytes between them. */
export type TableRows = {
  /** End of the last part. */
  readonly length: number;
  /** The file's own bytes from the start of one part to the start of another, or to the end. */
  source(start: number, end: number): Uint8Array;
  /** The bytes of the row without its line end, in readable form. */
  show(part: RowPart): string;
  parts(): Iterable<RowPart>;
  /** Reads the last part that `parts` returned. */
  read(part: RowPart): RowText;
  /** Like `read`, but prepares only the values; returns why the row can't be read. */
  open(part: RowPart): RowProblem | undefined;
  /** Why the file can't hold the texts; undefined if it can hold any text. */
  refuse?: (texts: readonly string[]) => Reason | undefined;
  /**
   * The last part as a row of the file with the text replaced by `text`, which `refuse` must have accepted; valid until
   * the next call.
   */
  splice(part: RowPart, text: string): Uint8Array;
  /** The row's line end in the file; empty if its last line has none. */
  lineEnd(part: RowPart): Uint8Array;
  /** All columns of the last row read: JSON values, or texts of its cells. */
  values(part: RowPart): Readonly<Record<string, unknown>>;
  /** Like `values`, but JSON numbers that a double does not hold keep their digits (`ExactNumber`). */
  exactValues(part: RowPart): Readonly<Record<string, unknown>>;
  /** Like `exactValues`, but with NaN and infinities, as conditions compare them. */
  comparedValues(part: RowPart): Readonly<Record<string, unknown>>;
  /** Whether values are cells, which are untyped texts. */
  hasCells: boolean;
  /** Why the file can't hold the changed values in the last row read; undefined if it can. */
  refuseValues(changes: readonly ValueChange[]): Reason | undefined;
  /**
   * The last row read, with changes that `refuseValues` accepted. A row of a delimited table then has the columns of
   * `changedColumns`.
   */
  replace(part: RowPart, changes: readonly ValueChange[]): Uint8Array;
  /** Position and length of the row in the file; includes the line end if the row is only partly in memory. */
  placeOf(part: RowPart): { start: number; lengthBytes: number };
  /** Whether all bytes of the row are in memory; of a row over the limit, only the beginning may be. */
  isHeld(part: RowPart): boolean;
  /** Number of line ends in the part; reads the file if the row is only partly in memory. */
  lineEnds(part: RowPart): number;
  /** Whether the file ends with the row, without a line end. */
  endsFile(part: RowPart): boolean;
  /** Whether the unchanged row can be written between other rows of such a file without merging with them. */
  standsAlone(part: RowPart): boolean;
};
