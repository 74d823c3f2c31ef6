import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const backupUsage = `Usage: node server/main.ts backup DIR [--keep N] [--check]

Backs up everything the service keeps into DIR: the database as of one moment, and the bytes that it points at. It may run beside
the service, which goes on, or while it is stopped. What an earlier backup in DIR has is not copied again; what is copied is
read back and compared with its checksums. The settings say which data folder and database are meant (TILTH_DATA_DIR,
TILTH_DATABASE_URL).

  --keep N   Backups that stay in DIR, this one included; older ones go (default 7)
  --check    Read what earlier backups have copied again as well, and copy anew what is damaged there

Keys (jwt.key and the like) are not in a backup; see docs/backup.md. Exit code: 0 all is backed up, 1 all but bytes that are damaged
or missing in the data folder itself, 2 there is no new backup; earlier ones stay as they are.
`;

export const restoreUsage = `Usage: TILTH_DATA_DIR=NEW node server/main.ts restore DIR [--backup NAME]
       node server/main.ts restore DIR --list

Makes the data folder NEW, which has to be empty or not there yet, from a backup in DIR; with TILTH_DATABASE_URL the rows go
into that PostgreSQL database, which has to be empty. Either can be restored from a backup of the other. All bytes are compared with
their checksums before it says done. A restore that was ended midway is run again by the same command.

  --backup NAME   Not the newest one, but this
  --list          Show which there are

Exit code: 0 restored, 2 not.
`;

export type BackupCommand = { into: string; keep: number; checkAll: boolean };
export type RestoreCommand = { from: string; name: string | undefined; list: boolean };

/** Understands what follows `backup`. */
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

/** Understands what follows `restore`. */
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
    throw new CommandError(`say one folder of backups: ${command} DIR; see ${command} --help`, 2);
  return folder;
}
