import { isBeyondDouble } from '../../kernel/exact-json.ts';
import { mayLoseNumbers, reviveNumbers } from '../jsonl.ts';
import type { OpenedRow } from './row-walk.ts';
import type { ViewRow } from './view-protocol.ts';

/** Characters of a page; it ends early behind the row that passes them. */
export const maxPageCharacters = 8 << 20;

const wholeNumber = /^-?\d+$/;
const minusZero = /-0(?:\.0*)?(?![\d.])/;

/** A row as people see it, its long values cut. */
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

/** Values with those cut that are longer than the limit; a list or an object is cut as its JSON. */
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

/** Halves of characters stay as they are; whole characters are not cut in two. */
function beginningOf(text: string, maxCharacters: number): string {
  const isWithin =
    text.slice(maxCharacters - 1, maxCharacters + 1).codePointAt(0) !== text.charCodeAt(maxCharacters - 1);
  return text.slice(0, isWithin ? maxCharacters - 1 : maxCharacters);
}

/** Numbers that JSON's readers or writers would change as strings: whole ones beyond 2^53, others with more digits than a double has, NaN, infinities and -0.0. */
function exactValues(opened: OpenedRow & { problem: undefined }): Readonly<Record<string, unknown>> {
  const text = opened.text();
  if (!mayLoseNumbers(text) && !minusZero.test(text)) return opened.values;
  return reviveNumbers(text, (number, source) => {
    if (Object.is(number, -0)) return source;
    if (wholeNumber.test(source)) return Number.isSafeInteger(number) ? number : source;
    return Number.isFinite(number) && !isBeyondDouble(number, source) ? number : source;
  }) as Record<string, unknown>;
}

/** Length of a row in characters, about. */
export function sizeOf({ values, text }: ViewRow): number {
  return (values === null ? 0 : JSON.stringify(values).length) + (text?.length ?? 0);
}
