import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { findTexts, parseFieldPath } from '../field-paths.ts';
import { columnsOf } from '../parquet/text-patterns.ts';
import { walkRows } from './row-walk.ts';
import { openConnection } from './view-connection.ts';
import type { IndexedTable, ViewLimits } from './view-protocol.ts';
import { withSource } from './view-reading.ts';
import { relationOf, storedValueOf } from './view-relation.ts';

/**
 * The field that texts were read from; how many there are; how many are empty or missing in their row; and how many
 * repeat an earlier text, of the same or an earlier row.
 */
export type FieldTexts = { field: string; texts: number; empty: number; repeated: number };

type Row = Readonly<Record<string, unknown>>;

/** Rows used to choose a field. */
const sampledRows = 1_000;
/** Rows of a text table between two checks for messages. */
const rowsAtOnce = 256;

/**
 * Calls `take` with the texts of a column, or at a path into rows, as a run would find them. Of several fields, it
 * chooses the one with the most text in the first rows.
 */
export async function readTexts(
  { table, fields, limits }: { table: IndexedTable; fields: readonly string[]; limits: ViewLimits },
  take: (text: string) => void,
): Promise<FieldTexts> {
  return openConnection({ sources: [{ path: table.indexPath }], ...limits }, async (connection) => {
    const field = await fieldOf(connection, table, fields);
    const path = parseFieldPath(field);
    const seen = await openSeen(connection);
    let [texts, empty] = [0, 0];
    const visit = (row: Row): boolean => {
      const found = findTexts(row, [path]);
      const filled = 'problem' in found ? [] : found.filter(({ text }) => text !== '');
      empty += 'problem' in found || found.length === 0 ? 1 : found.length - filled.length;
      texts += filled.length;
      for (const { text } of filled) {
        seen.add(text);
        take(text);
      }
      return true;
    };
    try {
      await eachRow(connection, { table, fields: [field] }, visit);
      return { field, texts, empty, repeated: texts - (await seen.count()) };
    } finally {
      seen.close();
    }
  });
}

async function fieldOf(connection: DuckDBConnection, table: IndexedTable, fields: readonly string[]): Promise<string> {
  const [first, ...others] = fields;
  if (first === undefined) throw new TypeError('No field to read texts from');
  if (others.length === 0) return first;
  const sums = fields.map((field) => ({ field, path: parseFieldPath(field), characters: 0 }));
  let rows = 0;
  await eachRow(connection, { table, fields }, (row) => {
    for (const sum of sums) {
      const found = findTexts(row, [sum.path]);
      if (!('problem' in found)) for (const { text } of found) sum.characters += text.length;
    }
    return ++rows < sampledRows;
  });
  return sums.reduce((most, sum) => (sum.characters > most.characters ? sum : most)).field;
}

/** Calls `visit` with the readable rows until it returns false. */
async function eachRow(
  connection: DuckDBConnection,
  { table, fields }: { table: IndexedTable; fields: readonly string[] },
  visit: (row: Row) => boolean,
): Promise<void> {
  const { layout } = table.facts;
  if (layout === null) return eachRowOfParquet(connection, { table, fields }, visit);
  await withSource(table.source, async (read) => {
    let count = 0;
    for (const { open } of walkRows(read, table.source.sizeBytes, layout)) {
      if (++count % rowsAtOnce === 0) await setImmediate();
      const opened = open();
      if (opened.problem === undefined && !visit(opened.values)) return;
    }
  });
}

/** Lists and objects are passed as their JSON. */
async function eachRowOfParquet(
  connection: DuckDBConnection,
  { table, fields }: { table: IndexedTable; fields: readonly string[] },
  visit: (row: Row) => boolean,
): Promise<void> {
  const wanted = new Set(
    columnsOf(
      table.facts.columns.map(({ name }) => name),
      fields,
    ),
  );
  const places = [...table.facts.columns.keys()].filter((place) => wanted.has(table.facts.columns[place]?.name ?? ''));
  const columns = places.flatMap((place) => table.facts.columns.slice(place, place + 1));
  if (columns.length === 0) return;
  const chosen = columns.map(({ type }, index) => {
    const value = storedValueOf(table.facts, places[index] ?? 0);
    return type === 'VARCHAR' ? value : `cast(to_json(${value}) as varchar)`;
  });
  const streamed = await connection.stream(`select ${chosen.join(', ')} from ${relationOf(table.indexPath)}`);
  for (let chunk = await streamed.fetchChunk(); chunk !== null && chunk.rowCount > 0;) {
    for (const values of chunk.getRows()) {
      const row = columns.map(({ name, type }, index): [string, unknown] => {
        const value = values[index];
        return [name, type === 'VARCHAR' || typeof value !== 'string' ? value : JSON.parse(value)];
      });
      if (!visit(Object.fromEntries(row))) return;
    }
    chunk = await streamed.fetchChunk();
  }
}

/** Counts distinct texts by 128-bit digests, which the library keeps, on disk if there are many. */
async function openSeen(
  connection: DuckDBConnection,
): Promise<{ add(text: string): void; count(): Promise<number>; close(): void }> {
  await connection.run('create temp table seen_texts (low bigint, high bigint)');
  const appender = await connection.createAppender('seen_texts', 'main', 'temp');
  return {
    add(text) {
      const digest = hash('md5', text, 'buffer');
      appender.appendBigInt(digest.readBigInt64LE(0));
      appender.appendBigInt(digest.readBigInt64LE(8));
      appender.endRow();
    },
    async count() {
      appender.flushSync();
      const counted = await connection.runAndReadAll(
        'select count(*) from (select distinct low, high from seen_texts)',
      );
      return Number(counted.getRows()[0]?.[0] ?? 0);
    },
    close: () => appender.closeSync(),
  };
}
