import { join } from 'node:path';
import { isFileLocked, lockFile, type DirectoryLock } from '../database/directory-lock.ts';

/** Whoever looks whether it is held takes the lock for an instant. */
const patienceMs = 5_000;

/**
 * While a backup copies, nothing of what its snapshot points at may be erased. The pin is a lock that the operating system ends
 * with the process: a backup that was killed pins nothing. Undefined when another backup holds it.
 */
export function pinBlobs(dataDirectory: string): DirectoryLock | undefined {
  return lockFile(pinPath(dataDirectory), patienceMs);
}

export function arePinned(dataDirectory: string): boolean {
  return isFileLocked(pinPath(dataDirectory));
}

function pinPath(dataDirectory: string): string {
  return join(dataDirectory, 'backup.lock');
}
