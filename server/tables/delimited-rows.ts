import { isAscii, isUtf8 } from 'node:buffer';
import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import { unclosedQuote, type DelimitedTable } from './delimited.ts';
import { partsOfRecords, type DelimitedPart } from './delimited-parts.ts';
import {
  changeCells,
  changedColumns,
  headerColumns,
  refuseColumns,
  type DelimitedColumn,
} from './delimited-columns.ts';
import { encodeText } from './encoder.ts';
import { decodeStrictly } from '../encodings/encodings.ts';
import type { ValueChange } from './json-values.ts';
import type { LineBlock } from './lines.ts';
import { notValid, refuseCharacters, refuseOverlap } from './row-refusals.ts';
import type { TableLayout } from './table-layout.ts';
import type { RowPart, RowProblem, TableRows } from './table-rows.ts';
import { textOf } from './utf8-text.ts';
import { looksUtf8 } from '../encodings/utf8-sequences.ts';
import { cellText, holdsStructure, recordValues, replaceCells, writeCell } from './delimited-cells.ts';

/** Rows of CSV and TSV in any encoding except UTF-16. */
export function delimitedRows(
  block: LineBlock,
  { field, markBytes, encoding, certainty }: TableLayout,
  table: DelimitedTable,
  maxRowBytes: number,
): TableRows {
  const { bytes, tooLong } = block;
  const atFileStart = block.start === 0;
  const from = atFileStart ? Math.min(markBytes, bytes.length) : 0;
  const isUnicode = encoding === 'utf-8';
  // Checking all bytes once saves a check per row.
  const isAllValid = isUnicode ? isUtf8(bytes) : isAscii(bytes);
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  let current: DelimitedPart | undefined;
  const lengthOf = (part: RowPart): number =>
    tooLong !== undefined && part.start === tooLong.start ? tooLong.lengthBytes : part.next - part.start;

  const isHeld = ({ start }: RowPart): boolean => start !== tooLong?.start;

  function* parts(): Generator<RowPart> {
    if (from > 0) yield { kind: 'filler', start: 0, end: from, next: from };
    for (current of partsOfRecords(bytes, table, { from, atFileStart, maxRowBytes, isCut: tooLong !== undefined }))
      yield current;
  }

  function problemOf(row: Uint8Array): Reason | undefined {
    if (isUnicode) return isUtf8(row) ? undefined : notValid('row', encoding);
    if (isAscii(row)) return undefined;
    if (decodeStrictly(encoding, row, false) === undefined) return notValid('row', encoding);
    return certainty !== 'GIVEN' && looksUtf8(row)
      ? inputProblems.ROW_IS_UTF8.reason({ encoding: encoding.toUpperCase() })
      : undefined;
  }

  const header = headerColumns(table);

  function cellBytes(text: string, wasQuoted: boolean, inTable = table): Uint8Array {
    const cell = encodeText(writeCell(text.toWellFormed(), wasQuoted, inTable), encoding);
    if (cell === undefined) throw new Error(`A text that was not refused can't be written in ${encoding}`);
    return cell;
  }

  function open(part: RowPart): RowProblem | undefined {
    const lengthBytes = lengthOf(part);
    if (lengthBytes > maxRowBytes) {
      const problem = inputProblems.ROW_TOO_LONG.reason({ bytes: lengthBytes, limit: maxRowBytes });
      return { problem, isUnread: true };
    }
    if (current?.problem !== undefined) return { problem: current.problem, isUnread: true };
    const invalid = isAllValid ? undefined : problemOf(bytes.subarray(part.start, part.end));
    if (invalid !== undefined) return { problem: invalid, isUnread: true };
    return undefined;
  }

  return {
    length: bytes.length,
    source: (start, end) => bytes.subarray(start, end),
    show: ({ start, end }) =>
      isUnicode ? textOf(bytes.subarray(start, end)) : decoder.decode(bytes.subarray(start, end)),
    ...(table.quoting && isUnicode
      ? {}
      : { refuse: (texts: readonly string[]) => refuseStructure(texts, table) ?? refuseCharacters(texts, encoding) }),
    parts,
    open,
    read(part) {
      const unread = open(part);
      if (unread !== undefined) return unread;
      if (current === undefined || current.cellStart === -1) {
        const problem = inputProblems.FIELD_NO_COLUMN.reason({ field: JSON.stringify(field) });
        return { problem, isUnread: false };
      }
      const { cellStart, cellEnd, isQuoted } = current;
      return { text: cellText(bytes, [cellStart, cellEnd], isQuoted, table, isUnicode ? undefined : decoder) };
    },
    splice(part, text) {
      if (current === undefined) throw new Error('There is no row');
      const { cellStart, cellEnd, isQuoted } = current;
      const cell = cellBytes(text, isQuoted);
      return Buffer.concat([bytes.subarray(part.start, cellStart), cell, bytes.subarray(cellEnd, part.end)]);
    },
    lineEnd: ({ end, next }) => bytes.subarray(end, next),
    values: (part) => recordValues(bytes, part, table, isUnicode ? undefined : decoder),
    exactValues: (part) => recordValues(bytes, part, table, isUnicode ? undefined : decoder),
    comparedValues: (part) => recordValues(bytes, part, table, isUnicode ? undefined : decoder),
    hasCells: true,
    refuseValues(changes) {
      const refused = refuseColumns(changes, header) ?? refuseOverlap(changes);
      if (refused !== undefined) return refused;
      const added = changedColumns(changes, header).filter((column) => header[column.from ?? -1]?.name !== column.name);
      const texts = [...added.map(({ name }) => name), ...cellsOf(changes).values()];
      return refuseStructure(texts, table) ?? (isUnicode ? undefined : refuseCharacters(texts, encoding));
    },
    replace: (part, changes) => {
      const texts = cellsOf(changes);
      const columns = changedColumns(changes, header);
      if (columns !== header) {
        const sizes = { ...table, columns: columns.length };
        const cell = ({ from: column, name }: DelimitedColumn, wasQuoted: boolean): Uint8Array | undefined => {
          const text = texts.get(header[column ?? -1]?.name ?? name);
          return text === undefined ? undefined : cellBytes(text, wasQuoted, sizes);
        };
        return changeCells(bytes, part, table, { columns, cellOf: cell });
      }
      return replaceCells(bytes, part, table, (column, isQuoted) => {
        const name = table.names?.[column];
        // Of columns with the same name, only the first is read and written.
        const text = name === undefined || table.names?.indexOf(name) !== column ? undefined : texts.get(name);
        return text === undefined ? undefined : cellBytes(text, isQuoted);
      });
    },
    placeOf: (part) => ({
      start: block.start + part.start,
      lengthBytes: isHeld(part) ? part.end - part.start : lengthOf(part),
    }),
    isHeld,
    lineEnds: ({ start, end, next }) => (next > end ? 1 : 0) + countBytes(bytes, table.lineEnd, start, end),
    endsFile: (part) => part.next === bytes.length && part.next === part.end,
    // An unclosed quote would swallow the following rows.
    standsAlone: () => current?.problem !== unclosedQuote,
  };
}

function refuseStructure(texts: readonly string[], table: DelimitedTable): Reason | undefined {
  if (table.quoting) return undefined;
  const isHeld = texts.every((text) => !holdsStructure(text, table));
  return isHeld ? undefined : inputProblems.NO_QUOTES.reason({});
}

/** A value as the text of a cell: empty for null, JSON for non-text values. */
function cellOf(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The new texts of cells by the names of their columns. */
function cellsOf(changes: readonly ValueChange[]): Map<string, string> {
  return new Map(
    changes.flatMap((change) => ('value' in change ? [[String(change.path[0]), cellOf(change.value)] as const] : [])),
  );
}

function countBytes(bytes: Uint8Array, byte: number, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte, start); at !== -1 && at < end; at = bytes.indexOf(byte, at + 1)) count += 1;
  return count;
}
