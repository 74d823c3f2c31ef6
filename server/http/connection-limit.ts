import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';

/** File descriptors reserved for storage. */
const reservedShare = 0.25;
const mostReserved = 4096;
const warnEveryMs = 60_000;

/**
 * Limits open connections, to fewer if the system limits the open files of the process. Connections beyond the limit
 * are refused, so that no call fails to open a file. Returns the effective limit.
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

/** Maximum number of open files of this process; Infinity if unknown. */
function findOpenFileLimit(): number {
  try {
    const soft = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Infinity;
    throw error;
  }
}
