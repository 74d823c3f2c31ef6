import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';

/** Of the files that a process may have open, these stay for what is stored. */
const reservedShare = 0.25;
const mostReserved = 4096;
const warnEveryMs = 60_000;

/**
 * Limits open connections, further if the system lets the process open fewer files: whoever
 * comes is turned away at the door, instead of a call inside failing to open a file. Gives the limit that holds.
 */
export function limitConnections(
  server: Server,
  wanted: number,
  logger: { warn(details: object, message: string): void },
  openFileLimit = findOpenFileLimit(),
): number {
  const reserved = Math.min(mostReserved, Math.floor(openFileLimit * reservedShare));
  const limit = Math.min(wanted, openFileLimit - reserved);
  server.maxConnections = limit;
  let warnedAt = -Infinity;
  let turnedAway = 0;
  server.on('drop', () => {
    turnedAway += 1;
    const now = performance.now();
    if (now - warnedAt < warnEveryMs) return;
    warnedAt = now;
    logger.warn({ limit, turnedAway }, 'connections are turned away: as many as may be are open');
  });
  return limit;
}

/** How many files this process may have open; Infinity where the system doesn't tell. */
function findOpenFileLimit(): number {
  try {
    const soft = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Infinity;
    throw error;
  }
}
