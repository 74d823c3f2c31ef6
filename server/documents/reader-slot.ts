import { builtModule } from '../kernel/built-modules.ts';
import { documentProblems } from '../kernel/sentences/index.ts';
import { createSupervisedProcess, ProcessEnded, ProcessTimeout } from '../processes/supervised-process.ts';
import type { DocumentProblem } from './receipt.ts';
import { guardWords, type ReadAnswer, type ReaderLimits, type ReadRequest } from './reader-protocol.ts';

export type ReaderSlotOptions = {
  /** CPU time limit of a document. */
  timeoutMs: number;
  /** Memory limit of the process. */
  memoryMb: number;
};

/** A slot for one reader process at a time, which starts on demand. */
export type ReaderSlot = {
  /**
   * Sends a request to the process. Returns a problem if the document killed the process; throws ReaderLost if it ended
   * for another reason, or the signal's reason after an abort.
   */
  ask(request: ReadRequest, signal: AbortSignal | undefined): Promise<ReadAnswer | { problem: DocumentProblem }>;
  /** Ends the process, if there is one. */
  clear(): void;
};

/** A reader process ended, with no sign that the document was the cause. */
export class ReaderLost extends Error {
  override readonly name = 'ReaderLost';
}

/**
 * Kills a process that neither answers nor uses CPU time (stopped, or waiting for a dead disk) after this multiple of
 * its time limit.
 */
const idleFactor = 10;
const mebibyte = 1024 * 1024;

export function createReaderSlot({ timeoutMs, memoryMb }: ReaderSlotOptions): ReaderSlot {
  const reader = createSupervisedProcess<ReadRequest, ReadAnswer>({
    module: builtModule(new URL('reader-process.ts', import.meta.url)),
    setup: { timeoutMs, maxResidentBytes: memoryMb * mebibyte } satisfies ReaderLimits,
    execArgv: [
      // V8's heap is only part of a process's memory.
      `--max-old-space-size=${Math.max(64, Math.floor(memoryMb * 0.8))}`,
      '--permission',
      '--allow-fs-read=*',
      '--allow-worker',
      '--no-warnings',
    ],
    // So that dates are read alike on every machine.
    env: { TZ: 'UTC', LANG: 'C.UTF-8' },
    isFirstToGo: true,
  });

  return {
    clear: reader.end,
    async ask(request, signal) {
      try {
        return await reader.ask(request, { signal, timeoutMs: idleFactor * timeoutMs });
      } catch (error) {
        if (error instanceof ProcessTimeout) return { problem: tooSlow(timeoutMs) };
        if (!(error instanceof ProcessEnded)) throw error;
        const problem = problemOf(error.errorText, { timeoutMs, memoryMb });
        if (problem !== undefined) return { problem };
        const end = error.signalName ?? error.exitCode;
        throw new ReaderLost(`The reader of a document ended with ${end}: ${lastLine(error.errorText)}`);
      }
    },
  };
}

function problemOf(errors: string, { timeoutMs, memoryMb }: ReaderSlotOptions): DocumentProblem | undefined {
  if (errors.includes(guardWords.time)) return tooSlow(timeoutMs);
  if (!errors.includes(guardWords.memory) && !/out of memory|invalid table size/i.test(errors)) return undefined;
  return { code: 'OUT_OF_MEMORY', reason: documentProblems.READING_NEEDS_MEMORY.reason({ limit: memoryMb }) };
}

function tooSlow(timeoutMs: number): DocumentProblem {
  return { code: 'TIMED_OUT', reason: documentProblems.READING_TAKES_LONG.reason({ seconds: timeoutMs / 1000 }) };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}
