import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const migrateToUsage = `Usage: TILTH_DATABASE_URL=… TILTH_STORAGE_URL=… npm start -- migrate-to

Copies an embedded installation to the configured storage: the rows to the PostgreSQL database of TILTH_DATABASE_URL, which must be
new, and the bytes of files to the folder of the bucket in TILTH_STORAGE_URL, which must be empty. With only one of these settings, only
that part is moved. TILTH_DATA_DIR names the data folder; stop its service first.

Until the last step, the installation in the data folder remains the valid one. To continue after an interruption, run the same
command again; what was already copied is skipped. At the end, all data is read from the new location and compared with its
checksums, as by verify. Then start the service with the same settings and the same data folder, which keeps the keys and indexes.

Exit code: 0 moved, all data is intact; 1 moved, but with the listed damage; 2 not moved.
`;

/** Checks that `migrate-to` has no arguments. */
export function parseMigrateToCommand(args: readonly string[]): void {
  try {
    parseArgs({ args: [...args], options: {} });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}; see migrate-to --help`, 2, { cause: error });
  }
}
