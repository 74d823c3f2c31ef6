import { mkdir } from 'node:fs/promises';
import { builtModule } from '../../kernel/built-modules.ts';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { documentProblems, inputProblems, type Reason, causesOfDelay } from '../../kernel/sentences/index.ts';
import { passedMemoryLimit, wasKilled } from '../../processes/child-limits.ts';
import { createProcessPool, type ProcessPool } from '../../processes/process-pool.ts';
import { ProcessEnded, ProcessTimeout } from '../../processes/supervised-process.ts';
import { findFullDisk } from '../full-disk.ts';
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
  UnpackRequest,
  ViewAnswer,
  ViewFacts,
  ViewLimits,
  ViewPage,
  ViewRequest,
} from './view-protocol.ts';

/** The table can't be read, or not as requested; the message says why. */
export class ViewUnreadable extends ReasonedError {
  override readonly name = 'ViewUnreadable';
}

/** The work took too long; it is not retried before `retrySeconds`. */
export class ViewTimeout extends ReasonedError {
  override readonly name = 'ViewTimeout';
  readonly retrySeconds: number;

  constructor(reason: Reason, { cause, retrySeconds = 30 }: { cause?: unknown; retrySeconds?: number } = {}) {
    super(reason, { cause });
    this.retrySeconds = retrySeconds;
  }
}

/** The reader process was killed from outside: the next try may succeed. */
export class ViewInterrupted extends ReasonedError {
  override readonly name = 'ViewInterrupted';
}

/**
 * Reads tables page by page, with an index that is built once, in processes that can be killed. All methods throw
 * ViewUnreadable, ViewTimeout, ViewInterrupted, an error with the code ENOSPC, or the signal's reason.
 */
export type TableViews = {
  readDirectly(request: Omit<DirectRequest, 'kind'>, signal?: AbortSignal): Promise<ViewPage>;
  buildIndex(request: Omit<BuildRequest, 'kind'>, signal?: AbortSignal): Promise<ViewFacts>;
  /** Writes the search index of an indexed table. */
  buildSearchIndex(request: Omit<SearchIndexRequest, 'kind'>, signal?: AbortSignal): Promise<SearchFacts>;
  readRows(request: Omit<RowsRequest, 'kind'>, signal?: AbortSignal): Promise<ViewPage>;
  /** Writes the list of all chosen rows; returns their number. */
  listRows(request: Omit<ListRequest, 'kind'>, signal?: AbortSignal): Promise<number>;
  describeColumns(request: Omit<ColumnsRequest, 'kind'>, signal?: AbortSignal): Promise<TableFigures>;
  /** Compares two tables row by row; writes a file that `readChanges` reads page by page. */
  compare(request: Omit<CompareRequest, 'kind'>, signal?: AbortSignal): Promise<ComparisonFacts>;
  readChanges(request: Omit<ChangesRequest, 'kind'>, signal?: AbortSignal): Promise<RowChange[]>;
  /** The sheets of a workbook. */
  listSheets(request: Omit<ListSheetsRequest, 'kind'>, signal?: AbortSignal): Promise<ListedSheet[]>;
  /** Writes a sheet as JSON Lines, which become the table's source; returns what they leave out. */
  writeSheet(request: Omit<SheetRequest, 'kind'>, signal?: AbortSignal): Promise<SheetReceipt>;
  /** Writes the unpacked bytes of a table, which become its source. */
  unpack(request: Omit<UnpackRequest, 'kind'>, signal?: AbortSignal): Promise<void>;
  close(): void;
};

/** Concurrent page reads and file builds; further requests wait. */
const maxReaders = 4;
const maxBuilders = 4;

/** Time limit of long work, plus a share per MiB read: even slow machines take a tenth of that. */
const buildTimeoutMs = 60_000;
const buildTimeoutMsPerMib = 4_000;
const maxBuildTimeoutMs = 6 * 3_600_000;

/** How long an idle process is kept: page requests follow each other. */
const idleMs = 60_000;

export function createTableViews({
  directory,
  memoryBytes = 1 << 30,
  timeoutMs = 60_000,
}: {
  /** Folder of the indexes. */
  directory: string;
  /** Memory limit of a process. */
  memoryBytes?: number;
  /** Time limit of a page. */
  timeoutMs?: number;
}): TableViews {
  const setup: ViewLimits = { memoryBytes, directory };
  const openPool = (maxProcesses: number): ProcessPool<ViewRequest, ViewAnswer> => {
    const module = builtModule(new URL('view-process.ts', import.meta.url));
    return createProcessPool({ module, setup, idleMs, maxProcesses, isFirstToGo: true });
  };
  // A process that has built an index keeps its low priority, so builders have a pool of their own.
  const [readers, builders] = [openPool(maxReaders), openPool(maxBuilders)];

  async function ask(request: ViewRequest, signal: AbortSignal | undefined): Promise<ViewAnswer> {
    await mkdir(directory, { recursive: true });
    const isBuild = request.kind !== 'direct' && request.kind !== 'rows' && request.kind !== 'changes';
    const limit = isBuild ? buildLimitOf(request) : timeoutMs;
    try {
      const answer = await (isBuild ? builders : readers).ask(request, { signal, timeoutMs: limit });
      if ('problem' in answer) throw findFullDisk(answer.problem.text) ?? new ViewUnreadable(answer.problem);
      return answer;
    } catch (error) {
      if (error instanceof ProcessTimeout)
        throw new ViewTimeout(inputProblems.VIEW_TOO_SLOW.reason({ seconds: Math.round(limit / 1000) }), {
          cause: error,
        });
      if (!(error instanceof ProcessEnded)) throw error;
      if (wasKilled(error)) throw new ViewInterrupted(causesOfDelay.VIEW_READER_ENDED.reason({}), { cause: error });
      const why = passedMemoryLimit(error)
        ? documentProblems.READING_NEEDS_MEMORY.reason({ limit: memoryBytes >> 20 })
        : inputProblems.READER_ENDED.reason({ how: error.signalName ?? `code ${error.exitCode}` });
      throw new ViewUnreadable(why, { cause: error });
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
    async unpack(request, signal) {
      await ask({ kind: 'unpack', ...request }, signal);
    },
    close() {
      readers.close();
      builders.close();
    },
  };
}

/**
 * In proportion to the bytes read: a small file that causes endless work must not get the time limit of a large one.
 */
function buildLimitOf(request: ViewRequest): number {
  const mib = readBytesOf(request) / (1 << 20);
  return Math.min(maxBuildTimeoutMs, buildTimeoutMs + mib * buildTimeoutMsPerMib);
}

function readBytesOf(request: ViewRequest): number {
  switch (request.kind) {
    case 'direct':
    case 'build':
      return request.source.sizeBytes;
    case 'sheets':
    case 'sheet':
      return request.workbook.sizeBytes;
    case 'unpack':
      return request.packed.sizeBytes;
    case 'compare':
    case 'changes':
      return request.before.source.sizeBytes + request.after.source.sizeBytes;
    default:
      return request.table.source.sizeBytes;
  }
}
