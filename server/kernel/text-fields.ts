import { invalid } from './errors.ts';
import { parameterProblems } from './parameter-problems.ts';

/** A name in stored form: trimmed, 1 to `max` characters (code points). */
export function parseName(field: string, value: string, max: number): string {
  const name = value.trim();
  if (name === '') throw invalid(field, parameterProblems.MUST_NOT_BE_BLANK.reason({}));
  return parseText(field, name, max);
}

/** A text of at most `max` characters (code points), unchanged. */
export function parseText(field: string, value: string, max: number): string {
  checkText(field, value);
  if (isLongerThan(value, max))
    throw invalid(field, parameterProblems.MUST_HAVE_AT_MOST.reason({ limit: max, what: 'characters' }));
  return value;
}

/** Refuses text that not every database stores unchanged: NUL and lone surrogates. */
export function checkText(field: string, text: string): void {
  if (text.includes('\0')) throw invalid(field, parameterProblems.MUST_NOT_HOLD_NUL.reason({}));
  if (!text.isWellFormed()) throw invalid(field, parameterProblems.IS_NO_UTF8.reason({}));
}

function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  return text.length > 2 * max || [...text].length > max;
}
