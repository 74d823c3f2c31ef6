import {
  quote,
  lineFeed,
  carriageReturn,
  type DelimitedDialect,
  type DelimitedTable,
  type DelimitedRecord,
  readRecord,
} from './delimited.ts';

/** The text of a cell whose bytes, quotes included, are `[start, end)`. */
export function cellText(
  bytes: Uint8Array,
  [start, end]: readonly [number, number],
  isQuoted: boolean,
  { hasEscapes }: Pick<DelimitedDialect, 'hasEscapes'>,
  decoder?: { decode(bytes: Uint8Array): string },
): string {
  const [from, to] = isQuoted ? [start + 1, end - 1] : [start, end];
  const inner = decoder === undefined ? utf8(bytes, from, to) : decoder.decode(bytes.subarray(from, to));
  if (!isQuoted) return inner;
  if (hasEscapes === true) return inner.replaceAll(/\\(["\\])|""/g, (_, escaped: string | undefined) => escaped ?? '"');
  return inner.includes('"') ? inner.replaceAll('""', '"') : inner;
}

/** A cell that contains `text`: quoted if the old cell was or the text requires it. */
export function writeCell(text: string, wasQuoted: boolean, table: DelimitedTable): string {
  // An empty line would not be a row.
  const needsQuotes = wasQuoted || holdsStructure(text, table) || (text === '' && table.columns === 1);
  if (!table.quoting || !needsQuotes) return text;
  return table.hasEscapes === true
    ? `"${text.replaceAll(/["\\]/g, (found) => `\\${found}`)}"`
    : `"${text.replaceAll('"', '""')}"`;
}

/** Whether a text can't be written in a cell without quotes. */
export function holdsStructure(text: string, { delimiter, quoting }: DelimitedDialect): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === delimiter || unit === lineFeed || unit === carriageReturn || (quoting && unit === quote)) return true;
  }
  return false;
}

/** Cells of one record as texts: for headers, and for inspecting a file's first rows. */
export function cellsOf(bytes: Uint8Array, { start, next }: DelimitedRecord, dialect: DelimitedDialect): string[] {
  const cells: string[] = [];
  readRecord(bytes, start, next, dialect, Number.MAX_SAFE_INTEGER, (from, end, isQuoted) => {
    cells.push(cellText(bytes, [from, end], isQuoted, dialect));
  });
  return cells;
}

/** The cells of a row by column name; of columns with the same name, the first. */
export function recordValues(
  bytes: Uint8Array,
  { start, next }: Pick<DelimitedRecord, 'start' | 'next'>,
  table: DelimitedTable,
  decoder?: { decode(bytes: Uint8Array): string },
): Record<string, string> {
  const { names } = table;
  if (names === undefined) throw new Error('The run was planned without the names of columns: run the task again');
  const values: Record<string, string> = {};
  let column = 0;
  readRecord(bytes, start, next, table, Number.MAX_SAFE_INTEGER, (from, end, isQuoted) => {
    const name = names[column] ?? '';
    if (!Object.hasOwn(values, name)) {
      const value = cellText(bytes, [from, end], isQuoted, table, decoder);
      // A column may be called __proto__.
      Object.defineProperty(values, name, { value, enumerable: true });
    }
    column += 1;
  });
  return values;
}

/** Replaces the cells for which `cellOf` returns bytes; every other byte of the row stays as it is. */
export function replaceCells(
  bytes: Uint8Array,
  { start, end, next }: Pick<DelimitedRecord, 'start' | 'end' | 'next'>,
  table: DelimitedTable,
  cellOf: (column: number, wasQuoted: boolean) => Uint8Array | undefined,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = start;
  let column = 0;
  readRecord(bytes, start, next, table, Number.MAX_SAFE_INTEGER, (from, cellEnd, isQuoted) => {
    const cell = cellOf(column, isQuoted);
    column += 1;
    if (cell === undefined) return;
    parts.push(bytes.subarray(at, from), cell);
    at = cellEnd;
  });
  parts.push(bytes.subarray(at, end));
  return Buffer.concat(parts);
}

function utf8(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
}
