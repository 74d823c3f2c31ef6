/** A failed command; its message is the one line printed on the console. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  /** `exitCode`: 2 if the command was used wrongly, 1 if it failed. */
  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
