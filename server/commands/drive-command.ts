import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const driveUsage = `Usage: npm start -- drive --run ID --epoch N

Drives one run for a cluster, by the settings of the service (PostgreSQL, object store, TILTH_SECRETS_KEY): sends orders to standard
output and reads answers from standard input, one JSON object a line. A service with TILTH_RAY_URL has the cluster start it.

  --run     Id of the run
  --epoch   Number of its ownership, under which the service has claimed it
`;

/** Parses the arguments of `drive`. */
export function parseDriveCommand(args: readonly string[]): { runId: string; epoch: number } {
  try {
    const { values } = parseArgs({ args: [...args], options: { run: { type: 'string' }, epoch: { type: 'string' } } });
    const { run: runId, epoch = '' } = values;
    if (runId !== undefined && /^\d+$/.test(epoch)) return { runId, epoch: Number(epoch) };
  } catch (error) {
    throw new CommandError(`${(error as Error).message}; see drive --help`, 2, { cause: error });
  }
  throw new CommandError('a driver needs --run and --epoch; see drive --help', 2);
}
