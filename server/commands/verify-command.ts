import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const verifyUsage = `Usage: npm start -- verify [--dataset ID] [--json]

Reads all stored data and compares bytes with checksums, references with files, and counters with a recount. It changes nothing,
so it also works on a read-only folder; the service may be running or stopped. The settings TILTH_DATA_DIR and TILTH_DATABASE_URL
name the data folder or database. If several nodes share a PostgreSQL database, data in the data folders of other nodes is only counted
by folder and must be verified there.

  --dataset ID   Verify only this dataset, in all versions
  --json         Print one JSON document: {findings, verified, problems}

Findings are written to standard output, progress to standard error. Exit code: 0 no problems, 1 problems found, 2 the data could not
be verified.
`;

export type VerifyCommand = { datasetId: string | undefined; json: boolean };

/** Parses the arguments of `verify`. */
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
