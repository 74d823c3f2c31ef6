import { AppError } from './errors.ts';
import { foreign, type Reason } from './reason.ts';

/** A failure that keeps its reason. */
export class ReasonedError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, options?: ErrorOptions) {
    super(reason.text, options);
    this.reason = reason;
  }
}

/** The reason that an error keeps; that of a library's error is its message, in the words of others. */
export function reasonOf(error: Error): Reason {
  if (error instanceof ReasonedError) return error.reason;
  const { code, params } = error instanceof AppError ? error : { code: undefined, params: {} };
  return code === undefined ? foreign(error.message) : { text: error.message, sentence: { code, params } };
}
