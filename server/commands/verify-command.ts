import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const verifyUsage = `Usage: node server/main.ts verify [--dataset ID] [--json]

Reads everything that is stored and compares it with its checksums, the references with the files, and the counters with a
recount. It changes nothing, and may run beside the service or while it is stopped, also on a folder that can't be written to.
The settings say which data folder or database is meant (TILTH_DATA_DIR, TILTH_DATABASE_URL).

  --dataset ID   Only what belongs to this dataset, in any version
  --json         One JSON document: {findings, verified, problems}

Findings go to standard output, the progress to standard error. Exit code: 0 all is well, 1 something is wrong, 2 it could
not be verified.
`;

export type VerifyCommand = { datasetId: string | undefined; json: boolean };

/** Understands what follows `verify`. */
export function parseVerifyCommand(args: readonly string[]): VerifyCommand {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { dataset: { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    return { datasetId: values.dataset, json: values.json };
  } catch (error) {
    throw new CommandError(`${(error as Error).message}; see verify --help`, 2, { cause: error });
  }
}
