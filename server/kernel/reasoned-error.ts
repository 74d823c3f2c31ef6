import { AppError } from './errors.ts';
import type { Reason, Sentence } from './reason.ts';
import { recognized } from './stored-reason.ts';

/** A failure that keeps its reason; a plain text is a sentence of the service, whose code is found by its words. */
export class ReasonedError extends Error {
  readonly reason: Reason;

  constructor(words: string | Reason, options?: ErrorOptions) {
    super(typeof words === 'string' ? words : words.text, options);
    this.reason = typeof words === 'string' ? recognized(words) : words;
  }
}

/** The sentence that an error keeps, null for words of others; undefined if its message may be found by its words. */
export function sentenceOf(error: unknown): Sentence | null | undefined {
  return error instanceof ReasonedError ? error.reason.sentence : undefined;
}

/** The reason that an error keeps; of an error of a library its message. */
export function reasonOf(error: Error): Reason {
  if (error instanceof ReasonedError) return error.reason;
  const { code, params } = error instanceof AppError ? error : { code: undefined, params: {} };
  return code === undefined ? recognized(error.message) : { text: error.message, sentence: { code, params } };
}
