import { reviveJsonText } from '../../kernel/json-text.ts';
import type { OpenedRow } from './row-walk.ts';
import type { ViewRow } from './view-protocol.ts';

/** Characters of a page; it ends early behind the row that passes them. */
export const maxPageCharacters = 8 << 20;

const manyDigits = /\d{16}/;
const wholeNumber = /^-?\d+$/;

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
      return [name, value.slice(0, maxCharacters).toWellFormed()];
    }
    if (typeof value !== 'object' || value === null) return [name, value];
    const json = JSON.stringify(value);
    if (json.length <= maxCharacters) return [name, value];
    cut.push(name);
    return [name, json.slice(0, maxCharacters).toWellFormed()];
  });
  return { values: Object.fromEntries(shown), cut };
}

/** Whole numbers beyond 2^53 as strings: numbers would lose digits. */
function exactValues(opened: OpenedRow & { problem: undefined }): Readonly<Record<string, unknown>> {
  const text = opened.text();
  if (!manyDigits.test(text)) return opened.values;
  try {
    return reviveJsonText(text, (_key, value, { source }) =>
      typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && wholeNumber.test(source)
        ? source
        : value,
    ) as Record<string, unknown>;
  } catch {
    // Numbers as Python writes them (NaN) are no JSON.
    return opened.values;
  }
}

/** Length of a row in characters, about. */
export function sizeOf({ values, text }: ViewRow): number {
  return (values === null ? 0 : JSON.stringify(values).length) + (text?.length ?? 0);
}
