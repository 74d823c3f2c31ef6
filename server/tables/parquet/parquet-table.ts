import {
  DuckDBListType,
  DuckDBStructType,
  DuckDBTypeId,
  type DuckDBConnection,
  type DuckDBType,
} from '@duckdb/node-api';
import { uniqueNames } from '../unique-names.ts';
import { exactSql, leavesOf, registerExactTexts, typeOfForm, type StoredForm } from './exact-values.ts';
import { copyListed, copyWithFooter, readFooterFile } from './footer-file.ts';
import { keepGroups, showStored } from './footer-changes.ts';
import { listNames } from './parquet-footer.ts';
import { leafTypes } from './parquet-types.ts';
import { identifier, literal, type ColumnShape } from './text-patterns.ts';

/** Column with the row number in the file, from 0. */
export const rowNumber = 'file_row_number';

/** A column of a file: under a name of its own, whatever the file calls it. */
export type FileColumn = {
  /** Unique in its case: a second `a` is `a_2`, an unnamed third column `column_3`. */
  name: string;
  /** The name in the file, if that differs. */
  given?: string;
  /** The name under which the library reads it. */
  readAs: string;
  type: string;
  shape: ColumnShape;
  duckType: DuckDBType | undefined;
  /** The first of its leaf columns. */
  leaf: number;
  /** How its leaf columns are stored; undefined for those that the library reads truly. */
  forms: readonly (StoredForm | undefined)[];
  /** Set if the library rounds values of a type in which their stored form can't be read: nanoseconds in a variant. */
  isRounded?: true;
};

/** Reads the columns of a file from its footer. */
export async function listFileColumns(connection: DuckDBConnection, path: string): Promise<FileColumn[]> {
  const result = await connection.runAndReadAll(`select * from ${tableSql(path)} limit 0`);
  const [readNames, types] = [result.columnNames(), result.columnTypes()];
  const given = await listNames(connection, path);
  const names = uniqueNames(given, (name) => name);
  const schema = await connection.runAndReadAll(`select * from parquet_schema(${literal(path)})`);
  const leaves = leafTypes(schema.getRowObjects());
  return readNames.map((readAs, index): FileColumn => {
    const duckType = types[index];
    const first = leaves.findIndex(({ column }) => column === index);
    const own = leaves.filter(({ column }) => column === index).map(({ form }) => form);
    // Of a variant, the library reads several leaf columns as one.
    const isPlain = own.length === leavesOf(duckType);
    const forms = isPlain ? own : [];
    const name = names[index] ?? readAs;
    return {
      name,
      ...(given[index] === name ? {} : { given: given[index] ?? '' }),
      readAs,
      type: typeOf(duckType, forms),
      shape: shapeOf(duckType, forms),
      duckType,
      leaf: first,
      forms,
      ...(!isPlain && own.some((form) => form !== undefined) ? { isRounded: true } : {}),
    };
  });
}

/** The columns with texts as their bytes, since the library reads no row of a page with a text that is not UTF-8. */
export function withTextBytes(columns: readonly FileColumn[]): FileColumn[] {
  return columns.map((column) => (column.shape.kind === 'text' ? { ...column, forms: [{ kind: 'TEXT' }] } : column));
}

/** Calls `read` with the columns; if a text is not UTF-8, once more with texts as their bytes. */
export async function withColumns<T>(
  columns: readonly FileColumn[],
  read: (columns: readonly FileColumn[]) => Promise<T>,
): Promise<T> {
  try {
    return await read(columns);
  } catch (error) {
    const isText = error instanceof Error && /Invalid string encoding|not valid UTF-?8/i.test(error.message);
    if (!isText) throw error;
    return read(withTextBytes(columns));
  }
}

/** A file as the library can read it truly: itself, or a copy with another footer, which `close` deletes. */
export type ReadableTable = {
  path: string;
  /** How the columns are called in `path`. */
  nameOf(column: FileColumn): string;
  /** SQL of a column with all digits; without a copy, the column itself. */
  sqlOf(column: FileColumn): string;
  /** The number of the first row in `path`. */
  firstRow: number;
};

/**
 * Opens the columns `wanted` with their stored forms. If that, or a name, requires it, copies the file to `copyPath`;
 * of a part of the rows, only the values that are needed.
 */
export function openTable(
  connection: DuckDBConnection,
  path: string,
  {
    columns,
    wanted,
    copyPath,
    range,
    isNumbered,
  }: {
    columns: readonly FileColumn[];
    wanted: readonly FileColumn[];
    copyPath: string;
    range?: { from: number; to: number };
    /** Whether the rows are numbered, which a column of that name prevents. */
    isNumbered: boolean;
  },
): ReadableTable {
  const forms = new Map(
    wanted.flatMap(({ leaf, forms }) =>
      forms.flatMap((form, index): [number, StoredForm][] => (form === undefined ? [] : [[leaf + index, form]])),
    ),
  );
  const isTaken = isNumbered && columns.some(({ readAs }) => readAs.toLowerCase() === rowNumber);
  if (forms.size === 0 && !isTaken)
    return { path, nameOf: ({ readAs }) => readAs, sqlOf: ({ readAs }) => identifier(readAs), firstRow: 0 };
  const { footer, position } = readFooterFile(path);
  const firstRow = range === undefined ? 0 : keepGroups(footer, range);
  showStored(footer, forms);
  if (range === undefined) copyWithFooter(path, copyPath, { footer, position });
  else {
    const leaves = new Set(
      wanted.flatMap(({ leaf, duckType, forms }) => leafNumbers(leaf, forms.length || leavesOf(duckType))),
    );
    const isWhole = wanted.some((column) => column.forms.length === 0);
    copyListed(path, copyPath, { footer, position }, (leaf) => isWhole || leaves.has(leaf));
  }
  registerExactTexts(connection);
  const places = new Map(columns.map((column, place) => [column.name, `c${place}`]));
  const nameOf = ({ name }: FileColumn): string => places.get(name) ?? name;
  return {
    path: copyPath,
    nameOf,
    sqlOf: (column) =>
      exactSql(identifier(nameOf(column)), column.duckType, wanted.includes(column) ? column.forms : []),
    firstRow,
  };
}

function leafNumbers(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

export function tableSql(path: string, option?: string): string {
  const more = option === undefined ? '' : `, ${option}`;
  return `read_parquet(${literal(path)}, hive_partitioning = false, binary_as_string = false${more})`;
}

function typeOf(type: DuckDBType | undefined, [form]: readonly (StoredForm | undefined)[]): string {
  const isNested = type instanceof DuckDBListType || type instanceof DuckDBStructType;
  return form?.kind === 'DECIMAL' && !isNested ? typeOfForm(form) : String(type);
}

function shapeOf(type: DuckDBType | undefined, forms: readonly (StoredForm | undefined)[]): ColumnShape {
  if (type instanceof DuckDBListType) return { kind: 'list', item: shapeOf(type.valueType, forms) };
  if (type instanceof DuckDBStructType) {
    let next = 0;
    const members = type.entryNames.map((name, index) => {
      const entry = type.entryTypes[index];
      return [name, shapeOf(entry, forms.slice(next, (next += leavesOf(entry))))];
    });
    return { kind: 'struct', members: Object.fromEntries(members) as Record<string, ColumnShape> };
  }
  if (type?.typeId === DuckDBTypeId.VARCHAR) return { kind: 'text' };
  const [form] = forms;
  return { kind: 'other', type: form === undefined || leavesOf(type) > 1 ? String(type) : typeOfForm(form) };
}

/** The rows of a query as objects. */
export async function readObjects(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}

/** Writes the rows of a query to a file; returns their number. */
export async function copyTo(
  connection: DuckDBConnection,
  rows: string,
  path: string,
  format: string,
): Promise<number> {
  const [copied] = await readObjects(connection, `copy (${rows}) to ${literal(path)} (${format})`);
  return Number(copied?.['Count'] ?? 0);
}
