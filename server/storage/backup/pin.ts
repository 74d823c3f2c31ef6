import { join } from 'node:path';
import { isFileLocked, lockFile, type DirectoryLock } from '../database/directory-lock.ts';

/** Checking the lock holds it for an instant. */
const timeoutMs = 5_000;

/**
 * While a backup copies, nothing that its snapshot refers to may be erased. The pin is a lock that the operating system releases
 * with the process, so a killed backup pins nothing. Undefined when another backup holds it.
 */
export function pinBlobs(dataDirectory: string): DirectoryLock | undefined {
  return lockFile(pinPath(dataDirectory), timeoutMs);
}

export function arePinned(dataDirectory: string): boolean {
  return isFileLocked(pinPath(dataDirectory));
}

function pinPath(dataDirectory: string): string {
  return join(dataDirectory, 'backup.lock');
}
