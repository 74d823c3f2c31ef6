/** A command failed; its message is the one line printed to the console. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  /** `exitCode`: 2 when the command was called wrongly, 1 when it failed. */
  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
