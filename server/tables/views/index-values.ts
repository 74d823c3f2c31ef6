import { isExactNumber } from '../../kernel/exact-json.ts';
import { isLongFraction } from './number-kinds.ts';

/**
 * A value in the lines that an index is made of. `json`: as the library reads it, with the doubles of fractions and without halves of characters, which
 * it refuses. What that loses is told beside it, as JSON: `digits` has those of all numbers, `halves` the halves of characters, too.
 */
export type IndexValue = { json: string; digits?: string; halves?: string };

/** What JSON.stringify makes of half of a character; or of a text that has these signs. */
const writtenHalf = /\\ud[89a-f]/;

/** A value whose numbers are doubles. */
export function indexValueOf(value: unknown): IndexValue {
  const written = JSON.stringify(value) ?? 'null';
  if (!writtenHalf.test(written)) return { json: written };
  const json = jsonOf(value, whole);
  return json === written ? { json } : { json, halves: written };
}

/** A value whose numbers may be NaN, infinities, or ExactNumbers. */
export function exactIndexValueOf(value: unknown): IndexValue {
  let isLong = false;
  const json = jsonOf(value, (part) => {
    if (isExactNumber(part) && isLongFraction(part.rawJSON)) {
      isLong = true;
      return Number(part.rawJSON);
    }
    return whole(finite(part));
  });
  const written = jsonOf(value, finite);
  const digits = isLong ? { digits: jsonOf(value, (part) => whole(finite(part))) } : {};
  if (!writtenHalf.test(written) || written === (digits.digits ?? json)) return { json, ...digits };
  return { json, ...digits, halves: written };
}

function jsonOf(value: unknown, change: (part: unknown) => unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => change(part)) ?? 'null';
}

/** NaN and infinities as texts, from which the library reads a column of numbers. */
function finite(part: unknown): unknown {
  return typeof part === 'number' && !Number.isFinite(part) ? String(part) : part;
}

/** A text, or the names of an object, without halves of characters. */
function whole(part: unknown): unknown {
  if (typeof part === 'string') return part.toWellFormed();
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  if (Object.keys(part).every((name) => name.isWellFormed())) return part;
  return Object.fromEntries(Object.entries(part).map(([name, below]) => [name.toWellFormed(), below]));
}
