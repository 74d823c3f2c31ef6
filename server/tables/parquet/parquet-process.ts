// A process that handles one Parquet file at a time and can be killed at any time: a file that crashes the native
// reader affects nothing else. It can access only the given files and the scratch directory, no network and no
// environment.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { documentProblems, type Reason } from '../../kernel/sentences/index.ts';
import type { ParquetAnswer, ParquetLimits, ParquetRequest } from './parquet-protocol.ts';
import { endWithParent, limitMemory } from '../../processes/child-limits.ts';
import { checksumOf, checksumParts } from '../checksums.ts';
import { libraryProblem } from '../library-problem.ts';
import { FileEnds, type ReadAt } from '../lines.ts';
import { ParquetProblem } from './parquet-footer.ts';
import { extract, inspect } from './parquet-queries.ts';
import { rewrite } from './rewritten-file.ts';
import { write } from './written-rows.ts';

const { memoryBytes, scratchDirectory } = JSON.parse(process.argv[2] ?? '') as ParquetLimits;

/** Share of the memory limit for the library; the rest is for memory that it does not count. */
const libraryShare = 0.6;

// API requests have priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const watchMemory = limitMemory(memoryBytes);

endWithParent();
process.on('message', (request: ParquetRequest) => {
  answer(request).then(
    (answered) => process.send?.(answered),
    (error: unknown) => process.send?.({ problem: problemOf(error) } satisfies ParquetAnswer),
  );
});

async function answer(request: ParquetRequest): Promise<ParquetAnswer> {
  watchMemory();
  if (request.kind === 'checksums') {
    return withBytes(request.source.path, (read, size) => ({ parts: checksumParts(read, size, request.starts) }));
  }
  if (request.kind === 'verify') {
    return withBytes(request.source.path, (read) => ({
      isIntact: request.ranges.every(({ from, to, crc32 }) => checksumOf(read, from, to) === crc32),
    }));
  }
  // DuckDB reports an empty file as a permission problem.
  if (request.kind !== 'write' && statSync(request.source.path).size === 0)
    throw new ParquetProblem(documentProblems.FILE_IS_EMPTY.reason({}));
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: `${Math.floor((memoryBytes * libraryShare) / (1 << 20))}MiB`,
    temp_directory: scratchDirectory,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  try {
    await fence(connection, request.source.path);
    switch (request.kind) {
      case 'inspect':
        return { facts: await inspect(connection, request, join(scratchDirectory, `${process.pid}-inspected`)) };
      case 'extract':
        return { rows: await extract(connection, request) };
      case 'write':
        return await write(connection, request);
      case 'rewrite':
        return await rewrite(connection, request);
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function withBytes(path: string, work: (read: ReadAt, sizeBytes: number) => ParquetAnswer): ParquetAnswer {
  const file = openSync(path, 'r');
  try {
    return work((target, position) => readSync(file, target, 0, target.length, position), fstatSync(file).size);
  } catch (error) {
    const isUnreadable = error instanceof FileEnds || (error as NodeJS.ErrnoException).code === 'EIO';
    if (isUnreadable) return { isIntact: false };
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Locks the configuration: from here on, no other file can be read or written. */
async function fence(connection: DuckDBConnection, path: string): Promise<void> {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  await connection.run(`set allowed_paths = [${quoted(path)}]`);
  await connection.run(`set allowed_directories = [${quoted(scratchDirectory)}]`);
  await connection.run('set enable_external_access = false');
  await connection.run('set lock_configuration = true');
}

function problemOf(error: unknown): Reason {
  return error instanceof ParquetProblem ? error.reason : libraryProblem(error, memoryBytes);
}
