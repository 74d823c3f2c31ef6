import { writeSync } from 'node:fs';
import type { ProcessEnded } from './supervised-process.ts';

// Both functions use SIGKILL: `process.exit` waits for native code, which may work for minutes and write gigabytes meanwhile.

const memoryWords = 'tilth: this process passed its limit of memory';

/** Ends this child process at once when the process that started it is gone. */
export function endWithParent(): void {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}

/**
 * Ends this child process when its resident memory exceeds `bytes`, which may change; checked every `everyMs` and whenever the
 * returned function is called. The parent detects it by {@link passedMemoryLimit}.
 */
export function limitMemory(bytes: number | (() => number), everyMs = 100): () => void {
  function look(): void {
    if (process.memoryUsage.rss() <= (typeof bytes === 'number' ? bytes : bytes())) return;
    writeSync(2, `${memoryWords}\n`);
    process.kill(process.pid, 'SIGKILL');
  }
  setInterval(look, everyMs).unref();
  return look;
}

/** Whether a child process ended itself because it needed too much memory. */
export function passedMemoryLimit({ errorText }: ProcessEnded): boolean {
  return errorText.includes(memoryWords);
}

/** Whether a child process was killed by a person or the system, so neither its work nor its input is the cause. */
export function wasKilled(ended: ProcessEnded): boolean {
  const { signalName } = ended;
  return !passedMemoryLimit(ended) && signalName !== null && outside.has(signalName);
}

const outside: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);
