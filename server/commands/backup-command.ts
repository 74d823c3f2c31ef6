import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const backupUsage = `Usage: npm start -- backup DIR [--keep N] [--check]

Backs up all data of the service to DIR: a consistent copy of the database and all bytes that it refers to. The service may be
running or stopped. Bytes that an earlier backup in DIR contains are not copied again; copies are read back and compared with
their checksums. The settings TILTH_DATA_DIR and TILTH_DATABASE_URL name the data to back up.

  --keep N   Keep the latest N backups in DIR, including this one, and delete older ones (default 7)
  --check    Also check the bytes of earlier backups, and copy damaged ones again

Backups contain no keys (such as jwt.key); see docs/backup.md. Exit code: 0 everything was backed up; 1 everything except bytes that
are damaged or missing in the data folder itself; 2 no backup was made, and earlier ones are unchanged.
`;

export const restoreUsage = `Usage: TILTH_DATA_DIR=NEW npm start -- restore DIR [--backup NAME]
       npm start -- restore DIR --list

Creates the data folder NEW, which must be empty or missing, from a backup in DIR. With TILTH_DATABASE_URL, the rows are written to
that PostgreSQL database, which must be empty; a SQLite backup can be restored to PostgreSQL and vice versa. All bytes
are compared with their checksums. To continue an interrupted restore, run the same command again.

  --backup NAME   Restore this backup instead of the newest
  --list          List the backups in DIR

Exit code: 0 restored, 2 not restored.
`;

export type BackupCommand = { into: string; keep: number; checkAll: boolean };
export type RestoreCommand = { from: string; name: string | undefined; list: boolean };

/** Parses the arguments of `backup`. */
export function parseBackupCommand(args: readonly string[]): BackupCommand {
  const { values, positionals } = parsing('backup', () =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { keep: { type: 'string', default: '7' }, check: { type: 'boolean', default: false } },
    }),
  );
  if (!/^[1-9]\d{0,4}$/.test(values.keep))
    throw new CommandError('--keep must be an integer from 1 to 99999; see backup --help', 2);
  return { into: onlyFolder('backup', positionals), keep: Number(values.keep), checkAll: values.check };
}

/** Parses the arguments of `restore`. */
export function parseRestoreCommand(args: readonly string[]): RestoreCommand {
  const { values, positionals } = parsing('restore', () =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { backup: { type: 'string' }, list: { type: 'boolean', default: false } },
    }),
  );
  return { from: onlyFolder('restore', positionals), name: values.backup, list: values.list };
}

function parsing<T>(command: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new CommandError(`${(error as Error).message}; see ${command} --help`, 2, { cause: error });
  }
}

function onlyFolder(command: string, positionals: readonly string[]): string {
  const [folder, ...rest] = positionals;
  if (folder === undefined || rest.length > 0)
    throw new CommandError(`exactly one folder of backups is required: ${command} DIR; see ${command} --help`, 2);
  return folder;
}
