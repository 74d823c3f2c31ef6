import { fork, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { DocumentProblem } from './receipt.ts';
import { guardWords, type ReadAnswer, type ReaderLimits, type ReadRequest } from './reader-protocol.ts';

export type ReaderSlotOptions = {
  /** CPU time that one document may take. */
  timeoutMs: number;
  /** Memory that the process may have. */
  memoryMb: number;
};

/** A slot for one reader process at a time; it starts when it is needed. */
export type ReaderSlot = {
  /**
   * Has the process answer. A document that ended the process is a problem; throws ReaderLost when the process ended for no
   * cause that is the document's, the signal's reason after an abort.
   */
  ask(request: ReadRequest, signal: AbortSignal | undefined): Promise<ReadAnswer | { problem: DocumentProblem }>;
  /** Ends the process, if there is one. */
  clear(): void;
};

/** A reader process ended, and nothing says that the document was too much for it. */
export class ReaderLost extends Error {
  override readonly name = 'ReaderLost';
}

const modulePath = fileURLToPath(new URL('reader-process.ts', import.meta.url));
/** A process that neither answers nor spends CPU time (stopped, or waiting for a dead disk) is ended after so many times its limit. */
const idleFactor = 10;
const maxErrorBytes = 16_384;
const mebibyte = 1024 * 1024;

export function createReaderSlot({ timeoutMs, memoryMb }: ReaderSlotOptions): ReaderSlot {
  let current: { child: ChildProcess; errors: () => string } | undefined;

  function start(): { child: ChildProcess; errors: () => string } {
    const limits: ReaderLimits = { timeoutMs, maxResidentBytes: memoryMb * mebibyte };
    const child = fork(modulePath, [JSON.stringify(limits)], {
      execArgv: [
        // What V8 keeps is not all that a process has.
        `--max-old-space-size=${Math.max(64, Math.floor(memoryMb * 0.8))}`,
        '--permission',
        '--allow-fs-read=*',
        '--allow-worker',
        '--no-warnings',
      ],
      // Nothing of this process is to be found there; and a date reads the same everywhere.
      env: { TZ: 'UTC', LANG: 'C.UTF-8' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let text = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-maxErrorBytes);
    });
    // Where memory runs out for the whole machine, a document is given up before the service is. Only Linux has this file.
    if (child.pid !== undefined) writeFile(`/proc/${child.pid}/oom_score_adj`, '900').catch(() => undefined);
    const started = { child, errors: () => text };
    // Whoever asks hears of it; between two questions 'exit' says enough.
    child.on('error', () => undefined);
    child.once('exit', () => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  }

  function clear(): void {
    const child = current?.child;
    current = undefined;
    child?.kill('SIGKILL');
  }

  return {
    clear,
    async ask(request, signal) {
      signal?.throwIfAborted();
      const { child, errors } = current ?? start();
      const { promise, resolve, reject } = Promise.withResolvers<ReadAnswer | { problem: DocumentProblem }>();
      const onExit = (code: number | null, name: NodeJS.Signals | null): void => {
        const problem = problemOf(errors(), { timeoutMs, memoryMb });
        if (problem !== undefined) resolve({ problem });
        else reject(new ReaderLost(`The reader of a document ended with ${name ?? code}: ${lastLine(errors())}`));
      };
      const onAbort = (): void => reject(signal?.reason);
      const late = setTimeout(() => resolve({ problem: tooSlow(timeoutMs) }), idleFactor * timeoutMs);
      // Standard error may still hold the cause when 'exit' comes; at 'close' it has been read.
      child.once('message', resolve).once('close', onExit).once('error', reject);
      signal?.addEventListener('abort', onAbort);
      try {
        child.send(request, (error) => {
          // A process that is gone says so by 'close', with its cause.
          if (error !== null && child.exitCode === null && child.signalCode === null) reject(error);
        });
        const answer = await promise;
        if ('problem' in answer) clear();
        return answer;
      } catch (error) {
        clear();
        throw error;
      } finally {
        clearTimeout(late);
        signal?.removeEventListener('abort', onAbort);
        child.off('message', resolve).off('close', onExit).off('error', reject);
      }
    },
  };
}

function problemOf(errors: string, { timeoutMs, memoryMb }: ReaderSlotOptions): DocumentProblem | undefined {
  if (errors.includes(guardWords.time)) return tooSlow(timeoutMs);
  if (!errors.includes(guardWords.memory) && !/out of memory|invalid table size/i.test(errors)) return undefined;
  return { code: 'OUT_OF_MEMORY', message: `reading it needs more than ${memoryMb} MiB of memory` };
}

function tooSlow(timeoutMs: number): DocumentProblem {
  return { code: 'TIMED_OUT', message: `reading it takes longer than ${timeoutMs / 1000} s` };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}
