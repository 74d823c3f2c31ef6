import { mkdir } from 'node:fs/promises';
import { createFairPlaces } from '../../kernel/fair-places.ts';
import { passedMemoryLimit } from '../../processes/child-limits.ts';
import { createProcessPool, type ProcessPool } from '../../processes/process-pool.ts';
import { ProcessEnded, ProcessTimeout } from '../../processes/supervised-process.ts';
import type { ListSheetsRequest, SheetReceipt, SheetRequest, ListedSheet } from '../workbooks/workbook-protocol.ts';
import type {
  BuildRequest,
  ChangesRequest,
  ColumnsRequest,
  CompareRequest,
  ComparisonFacts,
  DirectRequest,
  ListRequest,
  RowChange,
  RowsRequest,
  SearchFacts,
  SearchIndexRequest,
  TableFigures,
  ViewAnswer,
  ViewFacts,
  ViewLimits,
  ViewPage,
  ViewRequest,
} from './view-protocol.ts';

/** A table can't be read, or not as it was asked; the message says why. */
export class ViewUnreadable extends Error {
  override readonly name = 'ViewUnreadable';
}

/** It took too long. */
export class ViewTimeout extends Error {
  override readonly name = 'ViewTimeout';
}

/**
 * Reads tables page by page, by an index that is built once, each in a process that can be killed. All methods throw ViewUnreadable,
 * ViewTimeout, or the signal's reason.
 */
export type TableViews = {
  readDirectly(request: Omit<DirectRequest, 'kind'>, signal?: AbortSignal): Promise<ViewPage>;
  buildIndex(request: Omit<BuildRequest, 'kind'>, signal?: AbortSignal): Promise<ViewFacts>;
  /** Writes the index for searches of an indexed table. */
  buildSearchIndex(request: Omit<SearchIndexRequest, 'kind'>, signal?: AbortSignal): Promise<SearchFacts>;
  readRows(request: Omit<RowsRequest, 'kind'>, signal?: AbortSignal): Promise<ViewPage>;
  /** Writes the list of all chosen rows; returns how many there are. */
  listRows(request: Omit<ListRequest, 'kind'>, signal?: AbortSignal): Promise<number>;
  describeColumns(request: Omit<ColumnsRequest, 'kind'>, signal?: AbortSignal): Promise<TableFigures>;
  /** Compares two tables row by row; writes a file that `readChanges` reads pages of. */
  compare(request: Omit<CompareRequest, 'kind'>, signal?: AbortSignal): Promise<ComparisonFacts>;
  readChanges(request: Omit<ChangesRequest, 'kind'>, signal?: AbortSignal): Promise<RowChange[]>;
  /** The sheets of a workbook. */
  listSheets(request: Omit<ListSheetsRequest, 'kind'>, signal?: AbortSignal): Promise<ListedSheet[]>;
  /** Writes a sheet as JSON Lines, which are the table's source; tells what is not in them. */
  writeSheet(request: Omit<SheetRequest, 'kind'>, signal?: AbortSignal): Promise<SheetReceipt>;
  close(): void;
};

/** Pages that are read at the same time; others wait. */
const maxReaders = 4;

/** A hostile workbook must not hold up the indexes of others for long. */
const sheetTimeoutMs = 600_000;

/** How long an idle process is kept: pages follow each other. */
const idleMs = 60_000;

export function createTableViews({
  directory,
  memoryBytes = 1 << 30,
  timeoutMs = 60_000,
  buildTimeoutMs = 6 * 3_600_000,
}: {
  /** The folder of the indexes. */
  directory: string;
  /** Memory limit of a process. */
  memoryBytes?: number;
  /** Time limit of a page, and of building an index. */
  timeoutMs?: number;
  buildTimeoutMs?: number;
}): TableViews {
  const setup: ViewLimits = { memoryBytes, directory };
  const openPool = (): ProcessPool<ViewRequest, ViewAnswer> =>
    createProcessPool({ module: new URL('view-process.ts', import.meta.url), setup, idleMs, isFirstToGo: true });
  // A process that has built an index keeps its low priority.
  const [readers, builders] = [openPool(), openPool()];
  const places = createFairPlaces(maxReaders);

  async function ask(request: ViewRequest, signal: AbortSignal | undefined): Promise<ViewAnswer> {
    await mkdir(directory, { recursive: true });
    const isBuild = request.kind !== 'direct' && request.kind !== 'rows' && request.kind !== 'changes';
    const isSheet = request.kind === 'sheets' || request.kind === 'sheet';
    const limit = isSheet ? sheetTimeoutMs : isBuild ? buildTimeoutMs : timeoutMs;
    const release = isBuild ? undefined : await places.acquire('pages', signal);
    try {
      const answer = await (isBuild ? builders : readers).ask(request, { signal, timeoutMs: limit });
      if ('problem' in answer) throw new ViewUnreadable(answer.problem);
      return answer;
    } catch (error) {
      if (error instanceof ProcessTimeout)
        throw new ViewTimeout(`it could not be read within ${limit / 1000} s`, { cause: error });
      if (!(error instanceof ProcessEnded)) throw error;
      const why = passedMemoryLimit(error)
        ? `it needs more than ${memoryBytes >> 20} MiB of memory`
        : `its reader ended with ${error.signalName ?? `code ${error.exitCode}`}`;
      throw new ViewUnreadable(why, { cause: error });
    } finally {
      release?.();
    }
  }

  async function pageOf(request: ViewRequest, signal: AbortSignal | undefined): Promise<ViewPage> {
    const answer = await ask(request, signal);
    if (!('page' in answer)) throw new TypeError('An answer without a page');
    return answer.page;
  }

  return {
    readDirectly: (request, signal) => pageOf({ kind: 'direct', ...request }, signal),
    readRows: (request, signal) => pageOf({ kind: 'rows', ...request }, signal),
    async buildIndex(request, signal) {
      const answer = await ask({ kind: 'build', ...request }, signal);
      if (!('facts' in answer)) throw new TypeError('An answer without facts');
      return answer.facts;
    },
    async buildSearchIndex(request, signal) {
      const answer = await ask({ kind: 'search-index', ...request }, signal);
      if (!('search' in answer)) throw new TypeError('An answer without facts of a search');
      return answer.search;
    },
    async listRows(request, signal) {
      const answer = await ask({ kind: 'list', ...request }, signal);
      if (!('listed' in answer)) throw new TypeError('An answer without a number of rows');
      return answer.listed;
    },
    async describeColumns(request, signal) {
      const answer = await ask({ kind: 'columns', ...request }, signal);
      if (!('figures' in answer)) throw new TypeError('An answer without figures');
      return answer.figures;
    },
    async compare(request, signal) {
      const answer = await ask({ kind: 'compare', ...request }, signal);
      if (!('comparison' in answer)) throw new TypeError('An answer without a comparison');
      return answer.comparison;
    },
    async readChanges(request, signal) {
      const answer = await ask({ kind: 'changes', ...request }, signal);
      if (!('changes' in answer)) throw new TypeError('An answer without changes');
      return answer.changes;
    },
    async listSheets(request, signal) {
      const answer = await ask({ kind: 'sheets', ...request }, signal);
      if (!('sheets' in answer)) throw new TypeError('An answer without sheets');
      return answer.sheets;
    },
    async writeSheet(request, signal) {
      const answer = await ask({ kind: 'sheet', ...request }, signal);
      if (!('receipt' in answer)) throw new TypeError('An answer without a receipt');
      return answer.receipt;
    },
    close() {
      readers.close();
      builders.close();
    },
  };
}
