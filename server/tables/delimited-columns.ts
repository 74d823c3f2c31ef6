import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import { headerRecords, readRecord, type DelimitedRecord, type DelimitedTable } from './delimited.ts';
import { encodeText } from './encoder.ts';
import type { ValueChange } from './json-values.ts';
import type { TableLayout } from './table-layout.ts';
import { writeCell } from './delimited-cells.ts';

/** A column of a row: its name, and its index in the header of the source; null for a new column. */
export type DelimitedColumn = { readonly from: number | null; readonly name: string };

/** The columns of a row's cells, in order. */
export type DelimitedColumns = readonly DelimitedColumn[];

/** Each new column costs a cell in every row of the file. */
const maxNewColumns = 1000;

/** The columns of a row as they are in the source. */
export function headerColumns({ names = [] }: Pick<DelimitedTable, 'names'>): DelimitedColumns {
  return names.map((name, from) => ({ from, name }));
}

/** The columns of a row after changes; `header` itself if they are the same. */
export function changedColumns(changes: readonly ValueChange[], header: DelimitedColumns): DelimitedColumns {
  const names = new Map<number, string>();
  const taken = new Set<number>();
  const added = new Set<string>();
  for (const change of changes) {
    const name = String(change.path[0]);
    const column = header.findIndex((other) => other.name === name);
    if ('name' in change) names.set(column, change.name);
    else if ('isTakenOut' in change) taken.add(column);
    else if (column === -1) added.add(name);
  }
  if (names.size === 0 && taken.size === 0 && added.size === 0) return header;
  const kept = header
    .filter((_, column) => !taken.has(column))
    .map(({ from, name }) => ({ from, name: names.get(from ?? -1) ?? name }));
  return [...kept, ...Array.from(added, (name) => ({ from: null, name }))];
}

/** Why the changes can't be made to the columns of a row; undefined if they can. */
export function refuseColumns(changes: readonly ValueChange[], header: DelimitedColumns): Reason | undefined {
  for (const change of changes) {
    const column = JSON.stringify(change.path.join('.'));
    if (change.path.length > 1 || 'items' in change) return inputProblems.FILE_WITHOUT_COLUMN.reason({ column });
    const isOther = 'name' in change || 'isTakenOut' in change;
    if (isOther && header.filter(({ name }) => name === change.path[0]).length > 1)
      return inputProblems.COLUMN_IS_TWICE.reason({ column });
  }
  const columns = changedColumns(changes, header);
  if (columns.length > header.length + maxNewColumns)
    return inputProblems.TOO_MANY_COLUMNS.reason({ columns: columns.length, limit: header.length + maxNewColumns });
  return undefined;
}

/**
 * The columns of a file whose rows differ in columns: all columns that any row has. Source columns keep their
 * positions; a renamed column is at the position of the original; new columns follow in order of first appearance.
 */
export function mergeColumns(all: readonly DelimitedColumns[], header: DelimitedColumns): DelimitedColumns {
  const found = new Map<number | string, DelimitedColumn>();
  for (const column of all.flat()) {
    const key = keyOf(column, header);
    const known = found.get(key);
    if (known === undefined || (column.from !== null && column.from < (known.from ?? header.length)))
      found.set(key, typeof key === 'number' ? { ...column, from: key } : column);
  }
  const placeOf = ({ from }: DelimitedColumn): number => from ?? header.length;
  return [...found]
    .toSorted(([one, first], [other, second]) => {
      const isNew = Number(typeof one === 'string') - Number(typeof other === 'string');
      return placeOf(first) - placeOf(second) || isNew;
    })
    .map(([, column]) => column);
}

/** The identity of a column: the index of the source column with its name, or else the name. */
function keyOf({ from, name }: DelimitedColumn, header: DelimitedColumns): number | string {
  if (from !== null && header[from]?.name === name) return from;
  const column = header.findIndex((other) => other.name === name);
  return column === -1 ? name : column;
}

/** Whether rows with `columns` and rows with `others` can be in one file unchanged. */
export function areSameColumns(columns: DelimitedColumns, others: DelimitedColumns, header: DelimitedColumns): boolean {
  if (columns === others) return true;
  return (
    columns.length === others.length &&
    columns.every((column, at) => {
      const other = others[at];
      return other !== undefined && keyOf(column, header) === keyOf(other, header);
    })
  );
}

/** Whether each of `columns` is one of `others`. */
export function includesColumns(
  others: DelimitedColumns,
  columns: DelimitedColumns,
  header: DelimitedColumns,
): boolean {
  if (columns === others) return true;
  const keys = new Set(others.map((column) => keyOf(column, header)));
  return columns.every((column) => keys.has(keyOf(column, header)));
}

/** A row with some cells removed, changed or added; its other cells keep their bytes. */
export function changeCells(
  bytes: Uint8Array,
  { start, next }: Pick<DelimitedRecord, 'start' | 'next'>,
  table: DelimitedTable,
  {
    columns,
    cellOf,
  }: { columns: DelimitedColumns; cellOf: (column: DelimitedColumn, wasQuoted: boolean) => Uint8Array | undefined },
): Uint8Array {
  const cells: { bytes: Uint8Array; isQuoted: boolean }[] = [];
  readRecord(bytes, start, next, table, Number.MAX_SAFE_INTEGER, (from, end, isQuoted) => {
    cells.push({ bytes: bytes.subarray(from, end), isQuoted });
  });
  return joinCells(
    columns.map((column) => {
      const cell = column.from === null ? undefined : cells[column.from];
      return cellOf(column, cell?.isQuoted === true) ?? cell?.bytes ?? noBytes;
    }),
    table,
  );
}

const noBytes = new Uint8Array(0);
const emptyQuotes = Buffer.from('""');

function joinCells(cells: readonly Uint8Array[], { delimiter }: DelimitedTable): Uint8Array {
  const [only] = cells;
  // An empty line would not be a row.
  if (cells.length === 1 && only?.length === 0) return emptyQuotes;
  const bytes = Buffer.allocUnsafe(cells.reduce((sum, cell) => sum + cell.length, cells.length - 1));
  let at = 0;
  for (const [number, cell] of cells.entries()) {
    if (number > 0) {
      bytes[at] = delimiter;
      at += 1;
    }
    bytes.set(cell, at);
    at += cell.length;
  }
  return bytes;
}

/** Rewrites rows of a file for other columns: push its blocks in order, then call `end`. */
export type ColumnsRelay = {
  /** Returns the rows completed by these bytes. */
  push(bytes: Uint8Array): Uint8Array;
  /** The last row, if it has no line end. */
  end(): Uint8Array;
};

export type RelayOptions = {
  layout: TableLayout;
  /** The current columns of the rows, and the new ones: cells that a row lacks become empty. */
  from: DelimitedColumns;
  to: DelimitedColumns;
  /** Whether the bytes include the start of the file, and if so, what happens to its header. */
  header: 'WRITE' | 'KEEP' | 'NONE';
};

/** For well-formed rows, with the line ends and empty lines between them. */
export function createColumnsRelay({ layout, from, to, header }: RelayOptions): ColumnsRelay {
  const { encoding, markBytes } = layout;
  const table = delimitedOf(layout);
  const isWide = encoding.startsWith('utf-16');
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const source = headerColumns(table);
  const keys = from.map((column) => keyOf(column, source));
  const picks = to.map((column) => keys.indexOf(keyOf(column, source)));
  const isIdentity = picks.length === from.length && picks.every((pick, at) => pick === at);
  let fillers = header === 'NONE' ? 0 : headerRecords(table);
  let mark = header === 'NONE' || markBytes === 0 ? 0 : isWide ? utf8MarkBytes : markBytes;
  let waiting: Uint8Array = noBytes;

  function named({ from: column, name }: DelimitedColumn): Uint8Array | undefined {
    if (column !== null && source[column]?.name === name) return undefined;
    const cell = encodeText(
      writeCell(name.toWellFormed(), false, { ...table, columns: to.length }),
      isWide ? 'utf-8' : encoding,
    );
    if (cell === undefined) throw new Error(`A name that was not refused can't be written in ${encoding}`);
    return cell;
  }

  function writeRecord(bytes: Uint8Array, record: DelimitedRecord, relayed: Uint8Array[]): void {
    const { start, end, next } = record;
    const isFiller = end === start || fillers > 0;
    const isHeader = isFiller && end > start && fillers === 1;
    if (end > start && fillers > 0) fillers -= 1;
    if (isHeader && header === 'WRITE')
      relayed.push(changeCells(bytes, record, table, { columns: to, cellOf: named }), bytes.subarray(end, next));
    else if (isFiller || isIdentity) relayed.push(bytes.subarray(start, next));
    else relayed.push(pickCells(bytes, record, table, picks), bytes.subarray(end, next));
  }

  function relay(bytes: Uint8Array, isEnd: boolean): Uint8Array {
    const all = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes]);
    const relayed: Uint8Array[] = [];
    let at = 0;
    if (all.length < mark) {
      waiting = new Uint8Array(all);
      return noBytes;
    }
    if (mark > 0) {
      relayed.push(all.subarray(0, mark));
      at = mark;
      mark = 0;
    }
    while (at < all.length) {
      if (isIdentity && fillers === 0) {
        relayed.push(all.subarray(at));
        at = all.length;
        break;
      }
      const record = readRecord(all, at, all.length, table, Number.MAX_SAFE_INTEGER);
      if (!record.isEnded && !isEnd) break;
      writeRecord(all, record, relayed);
      at = record.next;
    }
    waiting = new Uint8Array(all.subarray(at));
    return Buffer.concat(relayed);
  }

  if (!isWide) return { push: (bytes) => relay(bytes, false), end: () => relay(noBytes, true) };
  const written = (bytes: Uint8Array): Uint8Array =>
    encodeText(Buffer.from(bytes).toString('utf8'), encoding) ?? noBytes;
  return {
    push: (bytes) => written(relay(Buffer.from(decoder.decode(bytes, { stream: true })), false)),
    end: () => written(relay(Buffer.from(decoder.decode()), true)),
  };
}

const utf8MarkBytes = 3;

function delimitedOf({ delimited }: TableLayout): DelimitedTable {
  if (delimited === undefined) throw new Error('Only delimited tables have a header');
  return delimited;
}

function pickCells(
  bytes: Uint8Array,
  { start, next }: DelimitedRecord,
  table: DelimitedTable,
  picks: readonly number[],
): Uint8Array {
  const cells: Uint8Array[] = [];
  readRecord(bytes, start, next, table, Number.MAX_SAFE_INTEGER, (from, end) => {
    cells.push(bytes.subarray(from, end));
  });
  return joinCells(
    picks.map((pick) => cells[pick] ?? noBytes),
    table,
  );
}
