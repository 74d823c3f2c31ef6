import { queryProblems } from './sentences.ts';
import { causesOfDelay } from '../../kernel/sentences/index.ts';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { builtModule } from '../../kernel/built-modules.ts';
import { createFairPlaces, type FairPlaces } from '../../kernel/fair-places.ts';
import { passedMemoryLimit, wasKilled } from '../../processes/child-limits.ts';
import { createProcessPool } from '../../processes/process-pool.ts';
import { ProcessEnded, ProcessNotReady, ProcessTimeout } from '../../processes/supervised-process.ts';
import { findFullDisk } from '../full-disk.ts';
import { QueryProblem } from './query-problem.ts';
import type {
  QueriedTable,
  QueryAnswer,
  QueryFormat,
  QueryLimits,
  StatementRequest,
  ResultRows,
  ReadQuery,
  TableReference,
  WrittenQuery,
} from './query-protocol.ts';

/** The service is busy, or a statement's process was killed from outside: the statement may succeed later. */
export class QueriesBusy extends ReasonedError {
  override readonly name = 'QueriesBusy';
}

/** The user who runs a statement, and a signal that aborts it. */
export type Asking = { owner: string; signal: AbortSignal };

/**
 * Runs user statements over tables, each in a process that can be killed and whose memory and files the system limits.
 * All methods throw QueryProblem, QueriesBusy, an error with the code ENOSPC, or the signal's reason.
 */
export type TableQueries = {
  /** The tables that a statement names; throws QueryProblem if the statement is not allowed. */
  parse(sql: string, asking: Asking): Promise<TableReference[]>;
  /** Rows of the result. */
  read(query: Omit<ReadQuery, 'kind' | 'scratch'>, asking: Asking): Promise<ResultRows>;
  /** Writes the result to a file, calls `use` with it, and deletes it. */
  write<T>(
    query: { sql: string; tables: readonly QueriedTable[]; format: QueryFormat },
    asking: Asking,
    use: (file: WrittenQuery & { path: string }) => Promise<T>,
  ): Promise<T>;
  /** Ends the processes. */
  close(): void;
};

/** Statements run, and parsed, at the same time; others wait, and owners take turns. */
const maxRunning = 2;
const maxParsing = 1;
/** Results written or sent at the same time for one owner; further ones wait. */
const maxResultsOfOwner = 2;
/** How long a statement waits for its turn. */
const maxWaitMs = 60_000;
const idleMs = 30_000;
/** Memory that Node itself maps, most of it untouched: 640 MiB measured. */
const ownBytes = 768 << 20;
const parseTimeoutMs = 10_000;
const startTimeoutMs = 60_000;
/** Factor on the time limit: writing everything may take longer than showing a few rows. */
const writeTimes = 10;

export function createTableQueries({
  directory,
  memoryBytes = 1 << 30,
  diskBytes = 4 * 2 ** 30,
  timeoutMs = 60_000,
}: {
  /** A folder that nothing else uses; it is emptied first. */
  directory: string;
  memoryBytes?: number;
  /** Limit for what a statement sorts, joins or writes on disk. */
  diskBytes?: number;
  timeoutMs?: number;
}): TableQueries {
  const limits: QueryLimits = { memoryBytes, diskBytes };
  const processes = createProcessPool<StatementRequest, QueryAnswer>({
    module: builtModule(new URL('query-process.ts', import.meta.url)),
    setup: limits,
    systemLimits: { memoryBytes: memoryBytes + ownBytes, fileBytes: diskBytes },
    idleMs,
    isFirstToGo: true,
    maxProcesses: maxRunning + maxParsing,
    greeting: { request: { kind: 'parse', sql: 'select 1' }, timeoutMs: startTimeoutMs },
  });
  const running = createFairPlaces(maxRunning);
  const parsing = createFairPlaces(maxParsing);
  const results = new Map<string, { places: FairPlaces; users: number }>();
  // Deletes what an earlier process left behind.
  const ready = rm(directory, { recursive: true, force: true }).then(() => mkdir(directory, { recursive: true }));
  ready.catch(() => undefined);

  async function ask(request: StatementRequest, limitMs: number, signal: AbortSignal): Promise<QueryAnswer> {
    try {
      const answer = await processes.ask(request, { signal, timeoutMs: limitMs });
      if ('problem' in answer)
        throw findFullDisk(answer.problem.text) ?? new QueryProblem(answer.problem, answer.place);
      return answer;
    } catch (error) {
      if (error instanceof ProcessNotReady)
        throw new QueriesBusy(causesOfDelay.QUERIES_TOO_MANY.reason({}), { cause: error });
      if (error instanceof ProcessTimeout)
        throw new QueryProblem(queryProblems.QUERY_TOO_SLOW.reason({ seconds: limitMs / 1000 }), undefined, {
          cause: error,
        });
      if (!(error instanceof ProcessEnded)) throw error;
      if (wasKilled(error)) throw new QueriesBusy(causesOfDelay.QUERY_PROCESS_ENDED.reason({}), { cause: error });
      const why =
        passedMemoryLimit(error) || /bad_alloc|out of memory/i.test(error.errorText)
          ? queryProblems.QUERY_NEEDS_MEMORY.reason({ limit: memoryBytes >> 20 })
          : queryProblems.QUERY_ENDED.reason({ how: error.signalName ?? `code ${error.exitCode}` });
      throw new QueryProblem(why, undefined, { cause: error });
    }
  }

  /** Waits for the owner's turn and takes a slot; returns its release. */
  async function turnOf({ owner, signal }: Asking, places: FairPlaces): Promise<() => void> {
    const timeout = AbortSignal.timeout(maxWaitMs);
    try {
      return await places.acquire(owner, AbortSignal.any([signal, timeout]));
    } catch (error) {
      if (signal.aborted || !timeout.aborted) throw error;
      throw new QueriesBusy(causesOfDelay.QUERIES_LONG.reason({ seconds: maxWaitMs / 1000 }), { cause: error });
    }
  }

  async function inTurn<T>(asking: Asking, places: FairPlaces, work: () => Promise<T>): Promise<T> {
    const release = await turnOf(asking, places);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Limits the results that one owner has at the same time: each takes disk space until it is sent. */
  async function asResult<T>(asking: Asking, work: () => Promise<T>): Promise<T> {
    const own = results.get(asking.owner) ?? { places: createFairPlaces(maxResultsOfOwner), users: 0 };
    results.set(asking.owner, own);
    own.users += 1;
    try {
      return await inTurn(asking, own.places, work);
    } finally {
      own.users -= 1;
      if (own.users === 0) results.delete(asking.owner);
    }
  }

  /** Calls `work` with a new folder, which is deleted afterwards. */
  async function withScratch<T>(work: (scratch: string) => Promise<T>): Promise<T> {
    await ready;
    const scratch = await mkdtemp(join(directory, 'query-'));
    try {
      return await work(scratch);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  return {
    async parse(sql, asking) {
      const answer = await inTurn(asking, parsing, () => ask({ kind: 'parse', sql }, parseTimeoutMs, asking.signal));
      if (!('references' in answer)) throw new TypeError('An answer without references');
      return answer.references;
    },
    read: (query, asking) =>
      inTurn(asking, running, () =>
        withScratch(async (scratch) => {
          const answer = await ask({ kind: 'read', ...query, scratch }, timeoutMs, asking.signal);
          if (!('result' in answer)) throw new TypeError('An answer without a result');
          return answer.result;
        }),
      ),
    write: (query, asking, use) =>
      asResult(asking, () =>
        withScratch(async (scratch) => {
          const outputPath = join(scratch, 'result');
          const request = { kind: 'write' as const, ...query, outputPath, scratch };
          // `use` runs outside the slot, so a slow download blocks nobody.
          const answer = await inTurn(asking, running, () => ask(request, timeoutMs * writeTimes, asking.signal));
          if (!('written' in answer)) throw new TypeError('An answer without a file');
          return use({ ...answer.written, path: outputPath });
        }),
      ),
    close: () => processes.close(),
  };
}
