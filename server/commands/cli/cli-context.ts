import type { ServiceClient } from './service-client.ts';

/** Output of a command: its result on standard output, notes on standard error. */
export type CliOutput = {
  json: boolean;
  /** Prints the result: as JSON for scripts, else as text for people. */
  show(value: unknown, text: () => string): void;
  /** Prints a line apart from the result. */
  note(line: string): void;
};

export type CliContext = {
  client: ServiceClient;
  output: CliOutput;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** The user's folder, for data that must outlive the command. */
  folder: string;
};

export function createOutput(json: boolean): CliOutput {
  return {
    json,
    show: (value, text) => void process.stdout.write(json ? `${JSON.stringify(value)}\n` : text()),
    note: (line) => void process.stderr.write(`${line}\n`),
  };
}
