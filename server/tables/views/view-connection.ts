import { availableParallelism } from 'node:os';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { ViewLimits, ViewSource } from './view-protocol.ts';

/**
 * Share of the memory limit for the library; the rest is for the rows being read and for memory that the library does
 * not count.
 */
const libraryShare = 0.5;
const maxThreads = 4;

/** Files that a connection may read, besides its folder. */
type Sources = readonly Pick<ViewSource, 'path'>[];
type Opened = { connection: DuckDBConnection; close(): void };

export async function openConnection<T>(
  { sources, ...limits }: { sources: Sources } & ViewLimits,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { connection, close } = await open(sources, limits);
  try {
    return await work(connection);
  } finally {
    close();
  }
}

/**
 * Keeps a connection open for the next work on the same files: page requests follow each other, and opening a
 * connection takes as long as reading a page. It caches no data. Runs one piece of work at a time.
 */
export function keepConnection(
  limits: ViewLimits,
): <T>(sources: Sources, work: (connection: DuckDBConnection) => Promise<T>) => Promise<T> {
  let kept: (Opened & { key: string }) | undefined;
  return async (sources, work) => {
    const key = JSON.stringify(sources.map(({ path }) => path));
    if (kept?.key !== key) {
      kept?.close();
      kept = undefined;
      kept = { key, ...(await open(sources, limits)) };
    }
    const { connection, close } = kept;
    try {
      return await work(connection);
    } catch (error) {
      kept = undefined;
      close();
      throw error;
    }
  };
}

/** Locks the configuration, so that no other file can be read or written. */
async function open(sources: Sources, { memoryBytes, directory }: ViewLimits): Promise<Opened> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(Math.min(maxThreads, availableParallelism())),
    memory_limit: `${Math.floor((memoryBytes * libraryShare) / (1 << 20))}MiB`,
    temp_directory: directory,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  const close = (): void => {
    connection.closeSync();
    instance.closeSync();
  };
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  try {
    await connection.run(`set allowed_paths = [${sources.map(({ path }) => quoted(path)).join(', ')}]`);
    await connection.run(`set allowed_directories = [${quoted(directory)}]`);
    await connection.run('set enable_external_file_cache = false');
    // Enables progress queries.
    await connection.run('set enable_progress_bar = true');
    await connection.run('set enable_progress_bar_print = false');
    // Times without a zone are in UTC.
    await connection.run(`set TimeZone = 'UTC'`);
    await connection.run('set enable_external_access = false');
    await connection.run('set lock_configuration = true');
    return { connection, close };
  } catch (error) {
    close();
    throw error;
  }
}
