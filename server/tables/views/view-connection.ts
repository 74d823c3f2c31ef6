import { availableParallelism } from 'node:os';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { ViewLimits, ViewSource } from './view-protocol.ts';

/** Share of the memory limit for the library; the rest is for rows being read and for memory that it does not count. */
const libraryShare = 0.5;
const maxThreads = 4;

/** The configuration is locked: no other file can be read or written. */
export async function openConnection<T>(
  { sources, memoryBytes, directory }: { sources: readonly Pick<ViewSource, 'path'>[] } & ViewLimits,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(Math.min(maxThreads, availableParallelism())),
    memory_limit: `${Math.floor((memoryBytes * libraryShare) / (1 << 20))}MiB`,
    temp_directory: directory,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  try {
    await connection.run(`set allowed_paths = [${sources.map(({ path }) => quoted(path)).join(', ')}]`);
    await connection.run(`set allowed_directories = [${quoted(directory)}]`);
    await connection.run('set enable_external_access = false');
    await connection.run('set lock_configuration = true');
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
