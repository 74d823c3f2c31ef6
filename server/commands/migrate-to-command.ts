import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const migrateToUsage = `Usage: TILTH_DATABASE_URL=… TILTH_STORAGE_URL=… npm start -- migrate-to

Copies an embedded installation to where the settings say: the rows to the PostgreSQL database of TILTH_DATABASE_URL, which must be
new, and the bytes of files to the folder of the bucket in TILTH_STORAGE_URL, which must be empty. Either setting alone moves
only that. TILTH_DATA_DIR names the data folder; stop its service first.

Until the last step the installation in the data folder is the one that counts: to continue after an interruption, run the same
command again. What was copied already is not copied again. At the end all data is read where it is now and compared with its
checksums, as by verify. Then start the service with the same settings, and the same data folder: it keeps the keys and indexes.

Exit code: 0 moved, all data is right; 1 moved, with the damage that is listed; 2 not moved.
`;

/** Checks that `migrate-to` has no arguments. */
export function parseMigrateToCommand(args: readonly string[]): void {
  try {
    parseArgs({ args: [...args], options: {} });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}; see migrate-to --help`, 2, { cause: error });
  }
}
