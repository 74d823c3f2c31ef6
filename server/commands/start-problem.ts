import { textOf } from '../kernel/reason.ts';
import type { Config } from '../config.ts';
import { AppError } from '../kernel/errors.ts';
import { ForeignKeyError, KeyFileError } from '../secrets/index.ts';
import { BackupError, UnfinishedRestoreError } from '../storage/backup/index.ts';
import { StorageMismatchError } from '../storage/blobs/index.ts';
import { MoveError } from '../storage/moving/index.ts';
import { DirectoryInUseError } from '../storage/database/directory-lock.ts';
import { NewerDatabaseError } from '../storage/database/migrate.ts';
import { isDatabaseUnavailable } from '../storage/database/unavailable.ts';
import { CommandError } from './command-error.ts';

/** Turns problems that the user can fix into one line; returns other errors unchanged. */
export function toCommandError(config: Config, error: unknown): unknown {
  if (isForPeople(error)) return new CommandError(error.message, 1, { cause: error });
  const problem = startProblem(config, error);
  return problem === undefined ? error : new CommandError(problem, 1, { cause: error });
}

/** PostgreSQL's codes for a wrong user, password or database, where waiting does not help. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['28P01', 'its user or password is wrong'],
  ['28000', 'its user does not exist, may not log in, or may not connect from this machine (pg_hba.conf)'],
  ['3D000', 'its database does not exist; create it with createdb'],
]);

/** Whether the start failed only because PostgreSQL is currently unavailable. */
export function mayComeYet(config: Config, error: unknown): boolean {
  return config.databaseUrl !== undefined && isDatabaseUnavailable(error) && !refusals.has(databaseCode(error));
}

function databaseCode(error: unknown): string {
  const { code, causeCode = code } = error as { code?: string; causeCode?: string };
  return causeCode ?? '';
}

/** Errors whose message already tells the user what to do. */
function isForPeople(error: unknown): error is Error {
  return (
    error instanceof DirectoryInUseError ||
    error instanceof NewerDatabaseError ||
    error instanceof BackupError ||
    error instanceof MoveError ||
    error instanceof StorageMismatchError ||
    error instanceof KeyFileError ||
    error instanceof ForeignKeyError ||
    error instanceof UnfinishedRestoreError
  );
}

function startProblem(config: Config, error: unknown): string | undefined {
  const objects = objectStoreProblem(error);
  if (objects !== undefined) return objects;
  const refusal = refusals.get(databaseCode(error));
  if (refusal !== undefined)
    return `the database of TILTH_DATABASE_URL refuses the connection (${databaseCode(error)}): ${refusal}`;
  if (mayComeYet(config, error))
    return `the database of TILTH_DATABASE_URL cannot be reached (${databaseCode(error) || (error as Error).message})`;
  const { code, message } = error as { code?: string; message: string };
  if (code?.startsWith('SQLITE_IOERR') === true || code === 'EIO')
    return `the disk that holds the data folder ${config.dataDir} failed (${code}); acknowledged data is not affected; fix the disk and start again`;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
      return `the data folder ${config.dataDir} cannot be written to (${code}); set TILTH_DATA_DIR to another folder`;
    case 'ENOSPC':
    case 'SQLITE_FULL':
      return `the disk that holds the data folder ${config.dataDir} is full`;
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_READONLY_DIRECTORY':
      return `the database in the data folder ${config.dataDir} cannot be opened for writing`;
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return `the database in the data folder ${config.dataDir} is damaged: ${message}`;
    default:
      return undefined;
  }
}

/** Why the bucket in TILTH_STORAGE_URL cannot be used. */
function objectStoreProblem(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  const problem = textOf(error.values['problem']) ?? '';
  switch (error.code) {
    case 'OBJECT_STORE_REFUSED':
      return `the object store of TILTH_STORAGE_URL refuses this service (${problem}): check the bucket, its region and the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role)`;
    case 'OBJECT_STORE_UNAVAILABLE':
      return `the object store of TILTH_STORAGE_URL cannot be used (${problem}); check TILTH_STORAGE_ENDPOINT`;
    default:
      return undefined;
  }
}
