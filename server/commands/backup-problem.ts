import type { Config } from '../config.ts';
import { DatabaseNotReadyError } from '../storage/database/read-only-database.ts';
import { CommandError } from './command-error.ts';
import { toCommandError } from './start-problem.ts';

/** Turns problems that the user can fix into one line with exit code 2, because 1 means damage in the data folder. */
export function notCarriedOut(config: Config, folder: string, error: unknown): unknown {
  const { code, path } = error as { code?: string; path?: string };
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL')
    return new CommandError(
      `the disk is full (of ${folder} or of the data folder ${config.dataDir}); earlier backups are unchanged`,
      2,
      { cause: error },
    );
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR')
    return new CommandError(`${path ?? folder} cannot be read or written (${code})`, 2, { cause: error });
  const known = toCommandError(config, error);
  const isKnown = known instanceof CommandError || known instanceof DatabaseNotReadyError;
  return isKnown ? new CommandError(known.message, 2, { cause: error }) : error;
}

/** Refuses installations with an object store: backups only copy data folders; objects are backed up in place. */
export function refuseObjectStorage(config: Config, command: 'backup' | 'restore'): void {
  if (config.storageUrl === undefined) return;
  throw new CommandError(
    `${command} works only with data folders, but the files of this installation are in ${config.storageUrl}; docs/object-storage.md explains how to back them up`,
    2,
  );
}
