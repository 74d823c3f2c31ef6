// A process that handles one table at a time and can be killed at any time. It can access only the table and the folder of indexes,
// no network and no environment.
import { rmSync } from 'node:fs';
import { availableParallelism, constants, setPriority } from 'node:os';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { endWithParent, limitMemory } from '../../processes/child-limits.ts';
import { buildSearchIndex } from './search-index.ts';
import { buildIndex } from './view-build.ts';
import { compareTables, readChanges } from './view-comparison.ts';
import { describeTable } from './view-figures.ts';
import type { ViewAnswer, ViewLimits, ViewRequest, ViewSource } from './view-protocol.ts';
import { listRows, readFooter, readRowsOf } from './view-query.ts';
import { readDirectly, ViewProblem, type TextSource } from './view-reading.ts';

const { memoryBytes, directory } = JSON.parse(process.argv[2] ?? '') as ViewLimits;

/** Share of the memory limit for the library; the rest is for rows being read and for memory that it does not count. */
const libraryShare = 0.5;
const maxThreads = 4;

const watchMemory = limitMemory(memoryBytes);

endWithParent();
process.on('message', (request: ViewRequest) => {
  answer(request).then(
    (answered) => process.send?.(answered),
    (error: unknown) => process.send?.({ problem: problemOf(error) } satisfies ViewAnswer),
  );
});

async function answer(request: ViewRequest): Promise<ViewAnswer> {
  watchMemory();
  switch (request.kind) {
    case 'direct':
      if (!isText(request.source)) throw new TypeError('A Parquet file is read by its footer');
      return { page: await readDirectly(request.source, request) };
    case 'build':
      // What people ask for now has priority.
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      return { facts: await build(request.source, request.indexPath) };
    case 'rows':
      return withConnection([request.table.source], async (connection) => ({
        page: await readRowsOf(connection, request),
      }));
    case 'search-index':
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      return withConnection([request.table.source], async (connection) => ({
        search: await buildSearchIndex(connection, request.table, request.searchPath),
      }));
    case 'list':
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      return withConnection([request.table.source], async (connection) => ({
        listed: await listRows(connection, request),
      }));
    case 'columns':
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      return withConnection([request.table.source], async (connection) => ({
        figures: await describeTable(connection, request.table),
      }));
    case 'compare':
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      return withConnection([request.before.source, request.after.source], async (connection) => ({
        comparison: await compareTables(connection, request),
      }));
    case 'changes':
      return withConnection([request.before.source, request.after.source], async (connection) => ({
        changes: await readChanges(connection, request),
      }));
  }
}

async function build(source: ViewSource, indexPath: string): ReturnType<typeof buildIndex> {
  try {
    return await withConnection([source], (connection) =>
      isText(source) ? buildIndex(connection, source, indexPath) : readFooter(connection, source),
    );
  } catch (error) {
    rmSync(indexPath, { force: true });
    throw error;
  }
}

function isText(source: ViewSource): source is TextSource {
  return source.format !== 'parquet';
}

/** The configuration is locked: no other file can be read or written. */
async function withConnection<T>(
  sources: readonly ViewSource[],
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

/** The library's message without its advice and without local paths. */
function problemOf(error: unknown): string {
  if (error instanceof ViewProblem) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  const [first = ''] = message.split('\n');
  return first.replaceAll(/(?:\bfile )?["'][^"']*\/[^"']*["']/gi, 'the file');
}
