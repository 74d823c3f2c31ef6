import type { Reason } from '../../kernel/sentences/index.ts';

/** The problem of an unreadable row as its index stores it: JSON of the text with its code and values. */
export function storedProblem({ text, sentence }: Reason): string {
  return JSON.stringify({ text: text.toWellFormed(), sentence } satisfies Reason);
}

export function problemFrom(stored: string): Reason {
  return JSON.parse(stored) as Reason;
}
