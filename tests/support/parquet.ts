// Parquet files that DuckDB writes and reads.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';

/** A Parquet file with the columns `id` (from 0) and `text`. */
export function parquetOfTexts(texts: readonly string[]): Promise<Buffer> {
  return withDuckDb(async ({ connection, directory }) => {
    const [source, target] = [join(directory, 'texts.jsonl'), join(directory, 'texts.parquet')];
    await writeFile(source, texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''));
    await connection.run(`copy (from read_ndjson_auto('${source}')) to '${target}' (format parquet)`);
    return readFile(target);
  });
}

/** The rows of a DuckDB query over a Parquet file, which the query names `file`. */
export function queryParquet(bytes: Uint8Array, query: string): Promise<unknown[][]> {
  return withDuckDb(async ({ connection, directory }) => {
    const path = join(directory, 'file.parquet');
    await writeFile(path, bytes);
    await connection.run(`set TimeZone = 'UTC'`);
    await connection.run(`create view file as from read_parquet('${path}')`);
    return (await connection.runAndReadAll(query)).getRowsJson();
  });
}

/** A Parquet file of the result of a DuckDB query. */
export function queryToParquet(query: string): Promise<Buffer> {
  return withDuckDb(async ({ connection, directory }) => {
    const path = join(directory, 'file.parquet');
    await connection.run(`copy (${query}) to '${path}' (format parquet)`);
    return readFile(path);
  });
}

/** The rows of a DuckDB query, each an array of its values. */
export function askDuckDb(sql: string): Promise<unknown[][]> {
  return withDuckDb(async ({ connection }) => (await connection.runAndReadAll(sql)).getRowsJson());
}

/** The rows of a DuckDB query, each an object by its columns. */
export function askDuckDbForObjects(sql: string): Promise<Record<string, unknown>[]> {
  return withDuckDb(async ({ connection }) => (await connection.runAndReadAll(sql)).getRowObjectsJson());
}

/** Calls `use` with an empty database and an empty folder, which end with it. */
async function withDuckDb<T>(
  use: (given: { connection: DuckDBConnection; directory: string }) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    return await use({ connection, directory });
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(directory, { recursive: true });
  }
}
