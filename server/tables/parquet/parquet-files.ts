import { fork, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import type { CheckedParts, CheckedRange } from '../checksums.ts';
import type {
  ExtractRequest,
  ParquetAnswer,
  ParquetFacts,
  ParquetLimits,
  ParquetRequest,
  ParquetSource,
  RewriteRequest,
} from './parquet-protocol.ts';

/** A Parquet file that can't be read, with the cause in plain words. */
export class ParquetUnreadable extends Error {
  override readonly name = 'ParquetUnreadable';
}

/** Reads and writes Parquet files, each in a process that can be ended. All throw ParquetUnreadable, or the signal's reason. */
export type ParquetFiles = {
  /** Columns and number of rows; `decodesAll` also makes sure that every value can be read. */
  inspect(source: ParquetSource, options: { decodesAll: boolean; signal: AbortSignal }): Promise<ParquetFacts>;
  /** CRC-32 of the file, and of its parts, which begin at the ascending `starts` from 0 on; undefined when it can't be read. */
  checksums(source: ParquetSource, starts: readonly number[], signal: AbortSignal): Promise<CheckedParts | undefined>;
  /** Whether bytes of the file have their CRC-32. */
  verify(source: ParquetSource, ranges: readonly CheckedRange[], signal: AbortSignal): Promise<boolean>;
  /** Writes one column's rows `[from, to)` as JSON Lines `{"t":…}`; gives their number. */
  extract(request: Omit<ExtractRequest, 'kind'>, signal: AbortSignal): Promise<number>;
  /** Writes the file anew with other texts in one column; gives the number of rows written. */
  rewrite(request: Omit<RewriteRequest, 'kind'>, signal: AbortSignal): Promise<number>;
  /** Ends the processes. */
  close(): void;
};

export type ParquetOptions = {
  scratchDirectory: string;
  /** What one process may hold. */
  memoryBytes?: number;
  /** How long one request may take. */
  timeoutMs?: number;
};

/** How long a process without work is kept. */
const idleMs = 10_000;

export function createParquetFiles(options: ParquetOptions): ParquetFiles {
  const { scratchDirectory, memoryBytes = 1 << 30, timeoutMs = 3_600_000 } = options;
  const limits: ParquetLimits = { memoryBytes, scratchDirectory };
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  const busy = new Set<ChildProcess>();

  function take(): ChildProcess {
    const [known] = idle.keys();
    if (known === undefined) {
      const child = fork(new URL('parquet-process.ts', import.meta.url), [JSON.stringify(limits)], {
        env: {},
        execArgv: [],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      child.on('exit', () => {
        clearTimeout(idle.get(child));
        idle.delete(child);
      });
      return child;
    }
    clearTimeout(idle.get(known));
    idle.delete(known);
    return known;
  }

  function putBack(child: ChildProcess): void {
    const end = setTimeout(() => {
      idle.delete(child);
      child.kill('SIGKILL');
    }, idleMs);
    end.unref();
    idle.set(child, end);
  }

  async function ask(request: ParquetRequest, signal: AbortSignal): Promise<ParquetAnswer> {
    await mkdir(scratchDirectory, { recursive: true });
    signal.throwIfAborted();
    const child = take();
    busy.add(child);
    const { promise, resolve, reject } = Promise.withResolvers<ParquetAnswer>();
    const onAbort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('The work was stopped'));
    };
    const timeout = setTimeout(() => {
      reject(new ParquetUnreadable(`it could not be worked on within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    const onExit = (code: number | null, ended: string | null): void => {
      reject(new ParquetUnreadable(exitMessage(code, ended, memoryBytes)));
    };
    signal.addEventListener('abort', onAbort);
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', onExit);
    try {
      child.send(request);
      const answer = await promise;
      child.off('error', reject);
      child.off('exit', onExit);
      putBack(child);
      if ('problem' in answer) throw new ParquetUnreadable(answer.problem);
      return answer;
    } catch (error) {
      if (!idle.has(child)) {
        child.on('error', () => undefined);
        child.kill('SIGKILL');
      }
      throw error;
    } finally {
      busy.delete(child);
      clearTimeout(timeout);
      signal.removeEventListener('abort', onAbort);
    }
  }

  async function rowsOf(request: ParquetRequest, signal: AbortSignal): Promise<number> {
    const answer = await ask(request, signal);
    if (!('rows' in answer)) throw new TypeError(`An answer without rows: ${JSON.stringify(answer)}`);
    return answer.rows;
  }

  return {
    async inspect(source, { decodesAll, signal }) {
      const answer = await ask({ kind: 'inspect', source, decodesAll }, signal);
      if (!('facts' in answer)) throw new TypeError(`An answer without facts: ${JSON.stringify(answer)}`);
      return answer.facts;
    },
    async checksums(source, starts, signal) {
      const answer = await ask({ kind: 'checksums', source, starts }, signal);
      return 'parts' in answer ? answer.parts : undefined;
    },
    async verify(source, ranges, signal) {
      const answer = await ask({ kind: 'verify', source, ranges }, signal);
      return 'isIntact' in answer && answer.isIntact;
    },
    extract: (request, signal) => rowsOf({ kind: 'extract', ...request }, signal),
    rewrite: (request, signal) => rowsOf({ kind: 'rewrite', ...request }, signal),
    close() {
      for (const child of [...idle.keys(), ...busy]) child.kill('SIGKILL');
      for (const end of idle.values()) clearTimeout(end);
      idle.clear();
    },
  };
}

function exitMessage(code: number | null, signal: string | null, memoryBytes: number): string {
  if (code === 12) return `it needs more than ${memoryBytes >> 20} MiB of memory`;
  return `its reader ended with ${signal ?? `code ${code}`}`;
}
