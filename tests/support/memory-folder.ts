import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A smaller one, as containers have it, would fill up. */
const LEAST_BYTES = 2 ** 30;

/** A folder in memory, so that small files don't wait for a disk; the folder for temporary files where there is none. */
export function memoryFolder(): string {
  if (!existsSync('/dev/shm')) return tmpdir();
  const { bavail, bsize } = statfsSync('/dev/shm');
  return bavail * bsize > LEAST_BYTES ? '/dev/shm' : tmpdir();
}
