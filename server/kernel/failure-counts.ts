import { foreign, type Reason } from './reason.ts';
import { recognized } from './stored-reason.ts';

/** Maximum number of reasons counted separately; further ones are counted together. */
const maxReasons = 200;

/** A reason is a sentence, not a document. */
const maxReasonLength = 300;

/** Key for all further reasons. */
export const otherReasons = 'other reasons';

/** Begins the key of a reason in the words of others; an earlier release shows it as it is, as nothing. */
const others = '\u2060';

/**
 * Counts failures by reason; a negative count subtracts. A plain text is a sentence of the service, whose code is found
 * by its words.
 */
export function countFailure(counts: Map<string, number>, given: string | Reason, count = 1): void {
  const reason = typeof given === 'string' ? given : `${given.sentence === null ? others : ''}${given.text}`;
  const short = reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength - 1)}…` : reason;
  const key = counts.has(short) || counts.size < maxReasons ? short : otherReasons;
  const sum = (counts.get(key) ?? 0) + count;
  // Work that is redone subtracts its earlier failures.
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}

/** The reason of a key of the counts. */
export function reasonOfKey(key: string): Reason {
  return key.startsWith(others) ? foreign(key.slice(others.length)) : recognized(key);
}

/** Adds counts by reason to the JSON of a run's row. */
export function addFailures(held: string, added: ReadonlyMap<string, number>): string {
  const counts = new Map(Object.entries(JSON.parse(held) as Record<string, number>));
  for (const [reason, count] of added) countFailure(counts, reason, count);
  return JSON.stringify(Object.fromEntries(counts));
}
