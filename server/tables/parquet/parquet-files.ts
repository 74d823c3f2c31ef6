import { mkdir, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { builtModule } from '../../kernel/built-modules.ts';
import { unavailable } from '../../kernel/errors.ts';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { causesOfDelay, documentProblems, inputProblems, type Reason } from '../../kernel/sentences/index.ts';
import { passedMemoryLimit, wasKilled } from '../../processes/child-limits.ts';
import { createProcessPool } from '../../processes/process-pool.ts';
import { ProcessEnded, ProcessTimeout } from '../../processes/supervised-process.ts';
import type { CheckedParts, CheckedRange } from '../checksums.ts';
import { findFullDisk } from '../full-disk.ts';
import type {
  ExtractRequest,
  ParquetAnswer,
  ParquetFacts,
  ParquetLimits,
  ParquetRequest,
  ParquetSource,
  RewriteRequest,
  WriteRequest,
  Written,
} from './parquet-protocol.ts';

/** A Parquet file can't be read; the message says why. */
export class ParquetUnreadable extends ReasonedError {
  override readonly name = 'ParquetUnreadable';
}

/**
 * Reads and writes Parquet files, each in a process that can be killed. All methods throw ParquetUnreadable, an error
 * with the code ENOSPC, UNAVAILABLE if the process is repeatedly killed from outside, or the signal's reason.
 */
export type ParquetFiles = {
  /** Columns and number of rows; `decodesAll` also verifies that every value can be read. */
  inspect(source: ParquetSource, options: { decodesAll: boolean; signal: AbortSignal }): Promise<ParquetFacts>;
  /**
   * CRC-32 of the file and of its parts, which begin at the ascending offsets `starts`, the first being 0; undefined if
   * the file can't be read.
   */
  checksums(source: ParquetSource, starts: readonly number[], signal: AbortSignal): Promise<CheckedParts | undefined>;
  /** Whether ranges of the file have the expected CRC-32. */
  verify(source: ParquetSource, ranges: readonly CheckedRange[], signal: AbortSignal): Promise<boolean>;
  /** Writes rows `[from, to)` of one or several columns as JSON Lines; returns their number. */
  extract(request: Omit<ExtractRequest, 'kind'>, signal: AbortSignal): Promise<number>;
  /**
   * Rewrites the file with new texts; returns the number of rows written, and the type changes due to types that the
   * writer lacks.
   */
  rewrite(request: NewTexts, signal: AbortSignal): Promise<{ rows: number; losses: readonly string[] }>;
  /** Writes JSON Lines as a Parquet file. */
  write(request: Omit<WriteRequest, 'kind'>, signal: AbortSignal): Promise<Written>;
  /** Ends the processes. */
  close(): void;
};

/** A request to rewrite a file. */
export type NewTexts = DistributiveOmit<RewriteRequest, 'kind'>;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export type ParquetOptions = {
  scratchDirectory: string;
  /** Memory limit of a process. */
  memoryBytes?: number;
  /** Time limit of a request. */
  timeoutMs?: number;
};

/** How long an idle process is kept. */
const idleMs = 10_000;
/** Files processed at the same time; others wait. */
const maxProcesses = 8;
/** Whatever kills a process from outside, such as the kernel when memory is short, usually does so only once. */
const maxTries = 3;
const pauseMs = 500;

export function createParquetFiles(options: ParquetOptions): ParquetFiles {
  const { scratchDirectory, memoryBytes = 1 << 30, timeoutMs = 3_600_000 } = options;
  const limits: ParquetLimits = { memoryBytes, scratchDirectory };
  const processes = createProcessPool<ParquetRequest, ParquetAnswer>({
    module: builtModule(new URL('parquet-process.ts', import.meta.url)),
    setup: limits,
    idleMs,
    maxProcesses,
  });

  let isClosed = false;

  async function ask(request: ParquetRequest, signal: AbortSignal): Promise<ParquetAnswer> {
    await mkdir(scratchDirectory, { recursive: true });
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await processes.ask(request, { signal, timeoutMs });
        if ('problem' in answer) throw findFullDisk(answer.problem.text) ?? new ParquetUnreadable(answer.problem);
        return answer;
      } catch (error) {
        // A copy that the process could not delete.
        if ('outputPath' in request)
          for (const end of ['source', 'plain']) await rm(`${request.outputPath}.${end}`, { force: true });
        if (error instanceof ProcessTimeout)
          throw new ParquetUnreadable(inputProblems.WORK_TAKES_LONG.reason({ seconds: timeoutMs / 1000 }), {
            cause: error,
          });
        if (!(error instanceof ProcessEnded)) throw error;
        if (!wasKilled(error)) throw new ParquetUnreadable(exitMessage(error, memoryBytes), { cause: error });
        if (tries === maxTries || isClosed) throw unavailable(causesOfDelay.PARQUET_READER_ENDED.reason({}), 5, error);
      }
      await pause(pauseMs * tries, undefined, { signal }).catch(() => signal.throwIfAborted());
      if ('outputPath' in request) await rm(request.outputPath, { force: true });
    }
  }

  async function rowsOf(
    request: ParquetRequest,
    signal: AbortSignal,
  ): Promise<{ rows: number; losses: readonly string[] }> {
    const answer = await ask(request, signal);
    if (!('rows' in answer)) throw new TypeError(`An answer without rows: ${JSON.stringify(answer)}`);
    return { losses: [], ...answer };
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
    extract: async (request, signal) => (await rowsOf({ kind: 'extract', ...request }, signal)).rows,
    rewrite: (request, signal) => rowsOf({ kind: 'rewrite', ...request }, signal),
    async write(request, signal) {
      const answer = await ask({ kind: 'write', ...request }, signal);
      if (!('misfits' in answer)) throw new TypeError(`An answer without rows: ${JSON.stringify(answer)}`);
      return answer;
    },
    close() {
      isClosed = true;
      processes.close();
    },
  };
}

function exitMessage(ended: ProcessEnded, memoryBytes: number): Reason {
  if (passedMemoryLimit(ended)) return documentProblems.READING_NEEDS_MEMORY.reason({ limit: memoryBytes >> 20 });
  return inputProblems.READER_ENDED.reason({ how: ended.signalName ?? `code ${ended.exitCode}` });
}
