/** Exit codes of `cli`; docs/cli.md lists them. */
export const exitCodes = { done: 0, partly: 1, usage: 2, refused: 3, unreachable: 4, interrupted: 130 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the command with a message of one line. */
export class CliProblem extends Error {
  override readonly name = 'CliProblem';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The service returned an error. */
export class ServiceRefusal extends CliProblem {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message, exitCodes.refused);
    this.status = status;
  }
}

/** The service is unreachable, or the connection broke more often than it is retried. */
export class ConnectionProblem extends CliProblem {
  constructor(message: string, options?: ErrorOptions) {
    super(message, exitCodes.unreachable, options);
  }
}

/** Why a file cannot be read or written, in words for the user. */
export function fileProblem(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full';
  if (code === 'EISDIR') return 'a folder with this name exists';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'a file exists where its folder should be';
  if (code === 'ENAMETOOLONG') return 'its name is too long for this file system';
  return error instanceof Error ? error.message : String(error);
}
