import { parseArgs } from 'node:util';
import { CommandError } from './command-error.ts';

export const workerUsage = `Usage: npm start -- worker --stdio

Processes shards of runs for a cluster: reads orders from standard input, one JSON object per line, and writes one answer for each to
standard output until the input ends. It needs the object store (TILTH_STORAGE_URL and its credentials), but no database or data
folder; scratch files are in TMPDIR. Messages are written to standard error.

  --stdio   Serve orders over standard input and output
`;

/** Parses the arguments of `worker`. */
export function parseWorkerCommand(args: readonly string[]): void {
  try {
    const { values } = parseArgs({ args: [...args], options: { stdio: { type: 'boolean', default: false } } });
    if (values.stdio) return;
  } catch (error) {
    throw new CommandError(`${(error as Error).message}; see worker --help`, 2, { cause: error });
  }
  throw new CommandError('--stdio is required; see worker --help', 2);
}
