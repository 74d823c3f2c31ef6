import type { ServiceClient } from './service-client.ts';

/** What a command prints: its result on standard output, notes on standard error. */
export type CliOutput = {
  json: boolean;
  /** The result: as JSON for scripts, else as the text for people. */
  show(value: unknown, text: () => string): void;
  /** A line beside the result. */
  note(line: string): void;
};

export type CliContext = {
  client: ServiceClient;
  output: CliOutput;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** The user's folder, for what must outlive the command. */
  folder: string;
};

export function createOutput(json: boolean): CliOutput {
  return {
    json,
    show: (value, text) => void process.stdout.write(json ? `${JSON.stringify(value)}\n` : text()),
    note: (line) => void process.stderr.write(`${line}\n`),
  };
}
