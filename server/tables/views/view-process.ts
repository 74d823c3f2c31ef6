// A process that handles one table at a time and can be killed at any time. It can access only the table and the folder of indexes,
// no network and no environment.
import { rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Reason } from '../../kernel/sentences/index.ts';
import { endWithParent, limitMemory } from '../../processes/child-limits.ts';
import { CompressedDataProblem } from '../compression/unpack-gauge.ts';
import { libraryProblem } from '../library-problem.ts';
import { listSheets, writeSheet } from '../workbooks/read-workbook.ts';
import { WorkbookProblem } from '../workbooks/workbook-problem.ts';
import { buildSearchIndex } from './search-index.ts';
import { buildParquetIndex } from './parquet-build.ts';
import { buildIndex } from './view-build.ts';
import { compareTables, readChanges } from './view-comparison.ts';
import { keepConnection, openConnection } from './view-connection.ts';
import { describeTable } from './view-figures.ts';
import type { ViewAnswer, ViewLimits, ViewRequest, ViewSource } from './view-protocol.ts';
import { unpackTable } from './unpacked-table.ts';
import { listRows, readRowsOf } from './view-query.ts';
import { readDirectly, ViewProblem, type TextSource } from './view-reading.ts';

const { memoryBytes, directory } = JSON.parse(process.argv[2] ?? '') as ViewLimits;

const watchMemory = limitMemory(memoryBytes);
const withKeptConnection = keepConnection({ memoryBytes, directory });

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
      // Requests that a user waits for have priority.
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      return { facts: await build(request.source, request.indexPath) };
    case 'rows':
      return withKeptConnection([request.table.source], async (connection) => ({
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
    case 'sheets':
      return { sheets: await listSheets(request.workbook) };
    case 'sheet':
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      return { receipt: await writeSheet(request) };
    case 'unpack':
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      unpackTable(request);
      return { unpacked: true };
    case 'changes':
      return withConnection([request.before.source, request.after.source], async (connection) => ({
        changes: await readChanges(connection, request),
      }));
  }
}

function withConnection<T>(
  sources: readonly ViewSource[],
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  return openConnection({ sources, memoryBytes, directory }, work);
}

async function build(source: ViewSource, indexPath: string): ReturnType<typeof buildIndex> {
  try {
    return await withConnection([source], (connection) =>
      isText(source) ? buildIndex(connection, source, indexPath) : buildParquetIndex(connection, source, indexPath),
    );
  } catch (error) {
    rmSync(indexPath, { force: true });
    throw error;
  }
}

function isText(source: ViewSource): source is TextSource {
  return source.format !== 'parquet';
}

function problemOf(error: unknown): Reason {
  if (error instanceof ViewProblem || error instanceof WorkbookProblem || error instanceof CompressedDataProblem)
    return error.reason;
  return libraryProblem(error, memoryBytes);
}
