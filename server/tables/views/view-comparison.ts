import { inputProblems } from '../../kernel/sentences/index.ts';
import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, literal } from '../parquet/text-patterns.ts';
import { withoutFloats } from './shown-texts.ts';
import { exactTextOf, isNumber, isWhole, partOf, textOf, type AskedColumn } from './view-conditions.ts';
import type {
  ChangesRequest,
  CompareRequest,
  ComparisonFacts,
  IndexedTable,
  RowChange,
  RowChangeKind,
  ViewRow,
} from './view-protocol.ts';
import { ViewProblem } from './view-reading.ts';
import { askedColumns, readableRows, relationOf, rowNumber } from './view-relation.ts';
import { readRowsAt } from './view-rows.ts';

/** A comparison stores the kind as an index into this array, in one byte. */
const kinds: readonly RowChangeKind[] = ['ADDED', 'REMOVED', 'CHANGED'];

/**
 * Compares two tables and writes the numbers of the differing rows as a Parquet file; joins larger than memory spill to
 * disk.
 */
export async function compareTables(
  connection: DuckDBConnection,
  { before, after, key, comparisonPath }: CompareRequest,
): Promise<ComparisonFacts> {
  const [one, other] = [askedColumns(before), askedColumns(after)];
  const shared = one.flatMap((column) => {
    const same = other.find(({ name }) => name === column.name);
    return same === undefined ? [] : [{ before: column, after: same }];
  });
  for (const name of key)
    if (!shared.some(({ after: column }) => column.name === name))
      throw new ViewProblem(inputProblems.VIEW_NO_COLUMN_IN_BOTH.reason({ column: JSON.stringify(name) }));
  const onlyBefore = one.filter(({ name }) => !other.some((column) => column.name === name));
  const onlyAfter = other.filter(({ name }) => !one.some((column) => column.name === name));
  const sides = { before: readableRows(before), after: readableRows(after) };
  for (const side of ['before', 'after'] as const) {
    // A value in a column that only one side has makes the rows differ.
    const own = side === 'before' ? onlyBefore : onlyAfter;
    const content = [...shared.map((pair) => partOf(comparable(pair)[side])), ...own.map(ownPartOf)];
    const keys = key.map((name) => partOf(comparable(pairNamed(shared, name))[side]));
    const told = `select ${rowNumber}::bigint as r, ${digest(content)} as c, ${key.length === 0 ? 'c' : digest(keys)} as k from ${sides[side]}`;
    await connection.run(`create temp table ${side}_rows as ${told}`);
  }
  const repeated = { before: await repeatedRows(connection, 'before'), after: await repeatedRows(connection, 'after') };
  const isRepeated = repeated.before.rows + repeated.after.rows > 0;
  // Rows with the same key are paired in their order.
  const numbered = (side: string): string =>
    isRepeated
      ? `(select *, row_number() over (partition by k order by r) as n from ${side}_rows)`
      : `(select *, 1 as n from ${side}_rows)`;
  await connection.run(`copy (
      select (case when a.r is null then 0 when b.r is null then 1 else 2 end)::utinyint as kind, a.r as before_row, b.r as after_row
      from ${numbered('before')} a full join ${numbered('after')} b on a.k = b.k and a.n = b.n
      where a.r is null or b.r is null or a.c <> b.c
      order by coalesce(b.r, a.r), kind
    ) to ${literal(comparisonPath)} (format parquet, compression zstd)`);
  const counted = await connection.runAndReadAll(
    `select kind, count(*) as n from read_parquet(${literal(comparisonPath)}) group by kind`,
  );
  const counts = new Map(counted.getRows().map(([kind, count]) => [kinds[Number(kind)], Number(count)]));
  const [added, removed, changed] = kinds.map((kind) => counts.get(kind) ?? 0) as [number, number, number];
  const compared = before.facts.rows - before.facts.unreadable;
  return {
    added,
    removed,
    changed,
    unchanged: compared - removed - changed,
    repeatedBefore: key.length === 0 ? null : repeated.before,
    repeatedAfter: key.length === 0 ? null : repeated.after,
    columns: {
      added: onlyAfter.map(({ name, type }) => ({ name, type })),
      removed: onlyBefore.map(({ name, type }) => ({ name, type })),
      retyped: shared
        .filter((pair) => pair.before.type !== pair.after.type)
        .map((pair) => ({ name: pair.after.name, before: pair.before.type, after: pair.after.type })),
    },
  };
}

type Pair = { before: AskedColumn; after: AskedColumn };

function pairNamed(pairs: readonly Pair[], name: string): Pair {
  const found = pairs.find(({ after }) => after.name === name);
  if (found === undefined) throw new TypeError(`No column ${name}`);
  return found;
}

/**
 * SQL for both sides that gives equal values equal texts, even if the other version has another column type; values
 * that the index does not hold exactly are compared by their JSON.
 */
function comparable(pair: Pair): { before: string; after: string } {
  const texts = comparableByType(pair);
  return { before: exactly(pair.before, texts.before), after: exactly(pair.after, texts.after) };
}

function exactly({ exact }: AskedColumn, text: string): string {
  return exact === undefined ? text : `coalesce(${exact}, ${text})`;
}

function comparableByType(pair: Pair): { before: string; after: string } {
  const [before, after] = [withTypes(pair.before), withTypes(pair.after)];
  const cast = (change: (column: AskedColumn) => string) => ({ before: change(before), after: change(after) });
  if (before.type === after.type) return cast(({ value }) => textOf(value));
  if (isNumber(before.type) && isNumber(after.type))
    return isWhole(before.type) || isWhole(after.type)
      ? cast(({ value, type }) => (isWhole(type) ? textOf(value) : wholeTextOf(value)))
      : cast(({ value, type }) => textOf(`${withoutFloats(value, type)}::double`));
  if (before.type === 'JSON' || after.type === 'JSON')
    return cast(({ value, type }) => (type === 'JSON' ? value : textOf(`to_json(${withoutFloats(value, type)})`)));
  return cast(({ value, type }) => textOf(withoutFloats(value, type)));
}

/** Compares a mixed column by its JSON, which distinguishes a number from the text of its digits. */
function withTypes(column: AskedColumn): AskedColumn {
  return column.json === undefined ? column : { ...column, type: 'JSON', value: column.json };
}

/** The text of a number; one without a fraction is written as a whole number. */
function wholeTextOf(sql: string): string {
  const whole = `case when ${sql} = trunc(${sql}) then try_cast(${textOf(sql)} as decimal(38, 0)) end`;
  return `coalesce(${textOf(whole)}, ${textOf(sql)})`;
}

/** A value of a column that the other side lacks; an empty value is no difference. */
function ownPartOf(column: AskedColumn): string {
  const [name, text] = [column.name, exactTextOf(column)];
  return `coalesce(${literal(`o${name.length}:${name}`)} || length(${text}) || ':' || ${text}, '')`;
}

/** A 128-bit digest of a row. */
function digest(parts: readonly string[]): string {
  return parts.length === 0 ? '0::uhugeint' : `md5_number(${parts.join(' || ')})`;
}

async function repeatedRows(connection: DuckDBConnection, side: string): Promise<{ keys: number; rows: number }> {
  const found = await connection.runAndReadAll(
    `select count(*), coalesce(sum(n), 0) from (select count(*) as n from ${side}_rows group by k having count(*) > 1)`,
  );
  const [keys, rows] = found.getRows()[0] ?? [];
  return { keys: Number(keys ?? 0), rows: Number(rows ?? 0) };
}

/** A page of a comparison, with the rows from both files. */
export async function readChanges(connection: DuckDBConnection, request: ChangesRequest): Promise<RowChange[]> {
  const { before, after, comparisonPath, change, offset, limit, maxCellCharacters } = request;
  const comparison = `read_parquet(${literal(comparisonPath)}, ${rowNumber} = true)`;
  const chosen =
    change === null
      ? `where ${rowNumber} >= ${offset} and ${rowNumber} < ${offset + limit} order by ${rowNumber}`
      : `where kind = ${kinds.indexOf(change)} order by ${rowNumber} limit ${limit} offset ${offset}`;
  const found = await connection.runAndReadAll(`select kind, before_row, after_row from ${comparison} ${chosen}`);
  const places = found.getRows().map(([kind, beforeRow, afterRow]) => ({
    change: kinds[Number(kind)] ?? 'CHANGED',
    before: beforeRow === null || beforeRow === undefined ? undefined : Number(beforeRow),
    after: afterRow === null || afterRow === undefined ? undefined : Number(afterRow),
  }));
  const rowsBefore = await rowsAt(
    connection,
    before,
    places.flatMap((place) => place.before ?? []),
    maxCellCharacters,
  );
  const rowsAfter = await rowsAt(
    connection,
    after,
    places.flatMap((place) => place.after ?? []),
    maxCellCharacters,
  );
  const differences = await differencesOf(connection, request, places);
  const changes: RowChange[] = [];
  for (const [index, place] of places.entries()) {
    const [was, is] = [rowsBefore.get(place.before ?? -1), rowsAfter.get(place.after ?? -1)];
    // The page ends where its rows exceed the character limit.
    if ((place.before !== undefined && was === undefined) || (place.after !== undefined && is === undefined)) break;
    changes.push({
      change: place.change,
      before: was ?? null,
      after: is ?? null,
      changedColumns: differences[index] ?? [],
    });
  }
  return changes;
}

async function rowsAt(
  connection: DuckDBConnection,
  table: IndexedTable,
  rows: readonly number[],
  maxCellCharacters: number,
): Promise<Map<number, ViewRow>> {
  const found = await readRowsAt(connection, { table, maxCellCharacters }, rows);
  return new Map(found.map((row) => [row.row, row]));
}

/** For each change, the columns in which its two rows differ. */
async function differencesOf(
  connection: DuckDBConnection,
  { before, after }: ChangesRequest,
  places: readonly { before: number | undefined; after: number | undefined }[],
): Promise<string[][]> {
  const pairs = places.filter((place) => place.before !== undefined && place.after !== undefined);
  if (pairs.length === 0) return places.map(() => []);
  const [one, other] = [askedColumns(before), askedColumns(after)];
  const names = [...new Set([...other, ...one].map(({ name }) => name))];
  const told = { before: new Map<number, unknown[]>(), after: new Map<number, unknown[]>() };
  for (const side of ['before', 'after'] as const) {
    const [own, others] = side === 'before' ? [one, other] : [other, one];
    const texts = names.map((name) => {
      const mine = own.find((column) => column.name === name);
      if (mine === undefined) return 'null';
      const theirs = others.find((column) => column.name === name) ?? mine;
      return comparable(side === 'before' ? { before: mine, after: theirs } : { before: theirs, after: mine })[side];
    });
    const numbers = pairs.map((place) => place[side]).join(', ');
    const table = side === 'before' ? before : after;
    const read = await connection.runAndReadAll(
      `select ${rowNumber}, ${texts.map((text, index) => `md5(${text}) as ${identifier(`d${index}`)}`).join(', ')}
       from ${relationOf(table.indexPath)} where ${rowNumber} in (${numbers})`,
    );
    for (const [row, ...digests] of read.getRows()) told[side].set(Number(row), digests);
  }
  return places.map((place) => {
    const [was, is] = [told.before.get(place.before ?? -1), told.after.get(place.after ?? -1)];
    if (was === undefined || is === undefined) return [];
    return names.filter((_, index) => was[index] !== is[index]);
  });
}
