import { isBeyondDouble } from '../../kernel/exact-json.ts';
import { mayLoseNumbers, reviveNumbers } from '../jsonl.ts';
import type { OpenedRow } from './row-walk.ts';
import type { ViewRow } from './view-protocol.ts';

/** Character limit of a page, which ends after the row that exceeds it. */
export const maxPageCharacters = 8 << 20;

const wholeNumber = /^-?\d+$/;
const minusZero = /-0(?:\.0*)?(?![\d.])/;

/** A row as shown to users, with long values truncated. */
export function shownRow(
  { row, line }: { row: number; line: number | null },
  opened: OpenedRow,
  { isJson, maxCellCharacters }: { isJson: boolean; maxCellCharacters: number },
): ViewRow {
  if (opened.problem !== undefined) {
    const { problem } = opened;
    return { row, line, values: null, cut: [], problem, text: opened.text().slice(0, maxCellCharacters) };
  }
  const values = isJson ? exactValues(opened) : opened.values;
  return { row, line, ...cutValues(values, maxCellCharacters), problem: null, text: null };
}

/** Truncates values that are longer than the limit; a list or an object is truncated as its JSON. */
export function cutValues(
  values: Readonly<Record<string, unknown>>,
  maxCharacters: number,
): { values: Record<string, unknown>; cut: string[] } {
  const cut: string[] = [];
  const shown = Object.entries(values).map(([name, value]): [string, unknown] => {
    if (typeof value === 'string') {
      if (value.length <= maxCharacters) return [name, value];
      cut.push(name);
      return [name, beginningOf(value, maxCharacters)];
    }
    if (typeof value !== 'object' || value === null) return [name, value];
    const json = JSON.stringify(value);
    if (json.length <= maxCharacters) return [name, value];
    cut.push(name);
    return [name, beginningOf(json, maxCharacters)];
  });
  return { values: Object.fromEntries(shown), cut };
}

/** Does not split surrogate pairs; lone surrogates stay as they are. */
function beginningOf(text: string, maxCharacters: number): string {
  const isWithin =
    text.slice(maxCharacters - 1, maxCharacters + 1).codePointAt(0) !== text.charCodeAt(maxCharacters - 1);
  return text.slice(0, isWithin ? maxCharacters - 1 : maxCharacters);
}

/**
 * Turns numbers that JSON parsers or writers would change into strings: whole numbers beyond 2^53, numbers with more
 * digits than a double, NaN, infinities and -0.0.
 */
function exactValues(opened: OpenedRow & { problem: undefined }): Readonly<Record<string, unknown>> {
  const text = opened.text();
  if (!mayLoseNumbers(text) && !minusZero.test(text)) return opened.values;
  return reviveNumbers(text, (number, source) => {
    if (Object.is(number, -0)) return source;
    if (wholeNumber.test(source)) return Number.isSafeInteger(number) ? number : source;
    return Number.isFinite(number) && !isBeyondDouble(number, source) ? number : source;
  }) as Record<string, unknown>;
}

/** Approximate length of a row in characters. */
export function sizeOf({ values, text }: ViewRow): number {
  return (values === null ? 0 : JSON.stringify(values).length) + (text?.length ?? 0);
}
