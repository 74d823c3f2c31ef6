import { invalid } from './errors.ts';

/** A name as it is stored: without white space around it, 1 to `max` characters (code points). */
export function parseName(field: string, value: string, max: number): string {
  const name = value.trim();
  if (name === '') throw invalid(field, 'must not be blank');
  return parseText(field, name, max);
}

/** A text of at most `max` characters (code points), as it came. */
export function parseText(field: string, value: string, max: number): string {
  if (value.includes('\0')) throw invalid(field, 'must not contain NUL');
  if (!value.isWellFormed()) throw invalid(field, 'is not valid UTF-8');
  if (isLongerThan(value, max)) throw invalid(field, `must have at most ${max} characters`);
  return value;
}

function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  return text.length > 2 * max || [...text].length > max;
}
