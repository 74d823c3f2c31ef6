import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** A Parquet file with the columns `id` (from 0) and `text`. */
export async function parquetOfTexts(texts: readonly string[]): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const [source, target] = [join(directory, 'texts.jsonl'), join(directory, 'texts.parquet')];
    await writeFile(source, texts.map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''));
    await connection.run(`copy (from read_ndjson_auto('${source}')) to '${target}' (format parquet)`);
    return await readFile(target);
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(directory, { recursive: true });
  }
}

/** The rows of a DuckDB query over a Parquet file, which the query names `file`. */
export async function queryParquet(bytes: Uint8Array, query: string): Promise<unknown[][]> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const path = join(directory, 'file.parquet');
    await writeFile(path, bytes);
    await connection.run(`set TimeZone = 'UTC'`);
    await connection.run(`create view file as from read_parquet('${path}')`);
    return (await connection.runAndReadAll(query)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(directory, { recursive: true });
  }
}

/** A Parquet file of the result of a DuckDB query. */
export async function queryToParquet(query: string): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const path = join(directory, 'file.parquet');
    await connection.run(`copy (${query}) to '${path}' (format parquet)`);
    return await readFile(path);
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(directory, { recursive: true });
  }
}
