import type { Config } from '../config.ts';
import { DirectoryInUseError } from '../storage/database/directory-lock.ts';
import { NewerDatabaseError } from '../storage/database/migrate.ts';
import { CommandError } from './command-error.ts';

/** One line for the problems that the person who starts a command can solve; the others stay as they are. */
export function toCommandError(config: Config, error: unknown): unknown {
  if (error instanceof DirectoryInUseError || error instanceof NewerDatabaseError)
    return new CommandError(error.message, 1, { cause: error });
  const problem = startProblem(config, error);
  return problem === undefined ? error : new CommandError(problem, 1, { cause: error });
}

function startProblem(config: Config, error: unknown): string | undefined {
  const { code, message } = error as { code?: string; message: string };
  if (code?.startsWith('SQLITE_IOERR') === true || code === 'EIO')
    return `the disk that holds the data folder ${config.dataDir} failed (${code}); nothing that was acknowledged is touched, see to the disk and start again`;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
      return `the data folder ${config.dataDir} can not be written to (${code}); set TILTH_DATA_DIR to another one`;
    case 'ENOSPC':
    case 'SQLITE_FULL':
      return `the disk that holds the data folder ${config.dataDir} is full`;
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_READONLY_DIRECTORY':
      return `the database in the data folder ${config.dataDir} can not be opened for writing`;
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return `the database in the data folder ${config.dataDir} is damaged: ${message}`;
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
      return config.databaseUrl === undefined
        ? undefined
        : `the database of TILTH_DATABASE_URL can not be reached (${code})`;
    case '28P01':
    case '28000':
    case '3D000':
      return `the database of TILTH_DATABASE_URL refuses the connection (${code})`;
    default:
      return undefined;
  }
}
