import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFairPlaces } from '../../kernel/fair-places.ts';
import { passedMemoryLimit } from '../../processes/child-limits.ts';
import { createProcessPool } from '../../processes/process-pool.ts';
import { ProcessEnded, ProcessTimeout } from '../../processes/supervised-process.ts';
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

/** Who asks, and what ends the work early. */
export type Asking = { owner: string; signal: AbortSignal };

/**
 * Runs statements of users over tables, each in a process that can be killed, and of which the system limits memory and files. All methods
 * throw QueryProblem, or the signal's reason.
 */
export type TableQueries = {
  /** The tables that a statement names, if it is one that may be run. */
  parse(sql: string, asking: Asking): Promise<TableReference[]>;
  /** Some rows of its result. */
  read(query: Omit<ReadQuery, 'kind' | 'scratch'>, asking: Asking): Promise<ResultRows>;
  /** Writes its result to a file, calls `use` with it, and deletes it. */
  write<T>(
    query: { sql: string; tables: readonly QueriedTable[]; format: QueryFormat },
    asking: Asking,
    use: (file: WrittenQuery & { path: string }) => Promise<T>,
  ): Promise<T>;
  /** Ends the processes. */
  close(): void;
};

/** Statements that run at the same time; others wait, and people take turns. */
const maxRunning = 2;
const idleMs = 30_000;
/** What Node itself maps, most of which it never touches: 640 MiB were measured. */
const ownBytes = 768 << 20;
const parseTimeoutMs = 10_000;
/** Writing everything may take longer than showing some rows. */
const writeTimes = 10;

export function createTableQueries({
  directory,
  memoryBytes = 1 << 30,
  diskBytes = 4 * 2 ** 30,
  timeoutMs = 60_000,
}: {
  /** A folder of its own. */
  directory: string;
  memoryBytes?: number;
  /** Of what a statement sorts, joins or writes. */
  diskBytes?: number;
  timeoutMs?: number;
}): TableQueries {
  const limits: QueryLimits = { memoryBytes, diskBytes };
  const processes = createProcessPool<StatementRequest, QueryAnswer>({
    module: new URL('query-process.ts', import.meta.url),
    setup: limits,
    systemLimits: { memoryBytes: memoryBytes + ownBytes, fileBytes: diskBytes },
    idleMs,
    isFirstToGo: true,
  });
  const places = createFairPlaces(maxRunning);
  // What an earlier process left unfinished.
  const ready = rm(directory, { recursive: true, force: true }).then(() => mkdir(directory, { recursive: true }));
  ready.catch(() => undefined);

  async function ask(request: StatementRequest, limitMs: number, signal: AbortSignal): Promise<QueryAnswer> {
    try {
      const answer = await processes.ask(request, { signal, timeoutMs: limitMs });
      if ('problem' in answer) throw new QueryProblem(answer.problem, answer.place);
      return answer;
    } catch (error) {
      if (error instanceof ProcessTimeout)
        throw new QueryProblem(`it takes longer than ${limitMs / 1000} s`, undefined, { cause: error });
      if (!(error instanceof ProcessEnded)) throw error;
      const why =
        passedMemoryLimit(error) || /bad_alloc|out of memory/i.test(error.errorText)
          ? `it needs more than ${memoryBytes >> 20} MiB of memory; ask for fewer rows or columns at once`
          : `the process that ran it ended with ${error.signalName ?? `code ${error.exitCode}`}`;
      throw new QueryProblem(why, undefined, { cause: error });
    }
  }

  /** With a folder of its own, which goes with it. */
  async function inPlace<T>({ owner, signal }: Asking, work: (scratch: string) => Promise<T>): Promise<T> {
    await ready;
    const release = await places.acquire(owner, signal);
    try {
      const scratch = await mkdtemp(join(directory, 'query-'));
      try {
        return await work(scratch);
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    } finally {
      release();
    }
  }

  return {
    async parse(sql, { signal }) {
      const answer = await ask({ kind: 'parse', sql }, parseTimeoutMs, signal);
      if (!('references' in answer)) throw new TypeError('An answer without references');
      return answer.references;
    },
    read: (query, asking) =>
      inPlace(asking, async (scratch) => {
        const answer = await ask({ kind: 'read', ...query, scratch }, timeoutMs, asking.signal);
        if (!('result' in answer)) throw new TypeError('An answer without a result');
        return answer.result;
      }),
    write: (query, asking, use) =>
      inPlace(asking, async (scratch) => {
        const outputPath = join(scratch, 'result');
        const answer = await ask(
          { kind: 'write', ...query, outputPath, scratch },
          timeoutMs * writeTimes,
          asking.signal,
        );
        if (!('written' in answer)) throw new TypeError('An answer without a file');
        return use({ ...answer.written, path: outputPath });
      }),
    close: () => processes.close(),
  };
}
