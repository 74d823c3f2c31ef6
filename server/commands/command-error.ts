/** A command that can't go on; its message is the one line that the console shows. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  /** `exitCode`: 2 when the command was called wrongly, 1 when it failed. */
  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
