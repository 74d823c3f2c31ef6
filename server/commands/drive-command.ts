import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const driveUsage = `Usage: npm start -- drive --run ID --epoch N

Drives one run for a cluster, with the settings of the service (PostgreSQL, object store, TILTH_SECRETS_KEY): sends orders to standard
output and reads answers from standard input, one JSON object per line. Started by the cluster for a service with TILTH_RAY_URL.

  --run     Id of the run
  --epoch   Epoch under which the service claimed the run
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
  throw new CommandError('--run and --epoch are required; see drive --help', 2);
}
