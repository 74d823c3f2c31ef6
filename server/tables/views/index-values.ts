import { isExactNumber } from '../../kernel/exact-json.ts';
import { isLongFraction } from './number-kinds.ts';

/**
 * A value in the lines that an index is built from. `json`: readable by the library, so fractions are doubles and lone
 * surrogates, which it rejects, are replaced. What this loses is kept as further JSON: `digits` has all digits of the
 * numbers, `halves` also the lone surrogates.
 */
export type IndexValue = { json: string; digits?: string; halves?: string };

/** JSON.stringify's escape of a lone surrogate; a text may contain these characters, too. */
const writtenHalf = /\\ud[89a-f]/;

/** A value whose numbers are all doubles. */
export function indexValueOf(value: unknown): IndexValue {
  const written = JSON.stringify(value) ?? 'null';
  if (!writtenHalf.test(written)) return { json: written };
  const json = jsonOf(value, whole);
  return json === written ? { json } : { json, halves: written };
}

/** A value whose numbers may be NaN, infinite, or ExactNumbers. */
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

/** NaN and infinities as texts, which the library reads as numbers. */
function finite(part: unknown): unknown {
  return typeof part === 'number' && !Number.isFinite(part) ? String(part) : part;
}

/** Replaces lone surrogates in a text, or in the names of an object. */
function whole(part: unknown): unknown {
  if (typeof part === 'string') return part.toWellFormed();
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  if (Object.keys(part).every((name) => name.isWellFormed())) return part;
  return Object.fromEntries(Object.entries(part).map(([name, below]) => [name.toWellFormed(), below]));
}
