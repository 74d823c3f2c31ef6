import { isListOfParts, leadsToSeveral, parseFieldPath } from './field-paths.ts';
import type { JsonObject } from './jsonl.ts';
import { isShapeOfParts, type ColumnShape } from './parquet/text-patterns.ts';

/** A column, or a path into rows, that holds text, and the beginning of its first non-empty value. */
export type TextColumn = { name: string; example: string | null };

const maxColumns = 200;
const maxDepth = 4;
const exampleLength = 160;

/**
 * The columns of rows that hold strings, and paths to strings within columns: `doc.text`, `messages[*].content`; in
 * order of first appearance.
 */
export function listTextPaths(rows: Iterable<JsonObject>): TextColumn[] {
  const found = new Map<string, string>();
  const add = (value: unknown, name: string, path: string, depth: number): void => {
    if (found.size >= maxColumns) return;
    if (typeof value === 'string') {
      if ((found.get(name) ?? '') === '') found.set(name, exampleOf(value));
    } else if (isListOfParts(value) && value.length > 0 && isBelowList(path)) {
      add(value.find((part) => typeof part['text'] === 'string')?.['text'] ?? '', name, path, depth);
    } else if (depth < maxDepth && Array.isArray(value)) {
      for (const item of value) add(item, `${path}[*]`, `${path}[*]`, depth + 1);
    } else if (depth < maxDepth && typeof value === 'object' && value !== null) {
      for (const [member, below] of Object.entries(value)) {
        const place = memberPath(path, member);
        add(below, place, place, depth + 1);
      }
    }
  };
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      add(value, name, columnPath(name), 1);
    }
  }
  return columnsOf(found);
}

/** The columns of a schema that hold strings, and paths to strings within columns, named as by `listTextPaths`. */
export function listShapePaths(columns: readonly { name: string; shape: ColumnShape }[]): string[] {
  const found: string[] = [];
  const add = (shape: ColumnShape, name: string, path: string, depth: number): void => {
    if (found.length >= maxColumns) return;
    if (shape.kind === 'text' || (isShapeOfParts(shape) && isBelowList(path))) found.push(name);
    else if (depth < maxDepth && shape.kind === 'list') add(shape.item, `${path}[*]`, `${path}[*]`, depth + 1);
    else if (depth < maxDepth && shape.kind === 'struct') {
      for (const [member, below] of Object.entries(shape.members)) {
        const place = memberPath(path, member);
        add(below, place, place, depth + 1);
      }
    }
  };
  for (const { name, shape } of columns) add(shape, name, columnPath(name), 1);
  return found;
}

/** Whether a path leads to items of a list; there, content in parts counts as one text. */
function isBelowList(path: string): boolean {
  return leadsToSeveral(parseFieldPath(path));
}

/** The path of a column; names with path characters are quoted. */
function columnPath(name: string): string {
  return isPlain(name) ? name : `[${JSON.stringify(name)}]`;
}

function memberPath(path: string, member: string): string {
  return isPlain(member) ? `${path}.${member}` : `${path}[${JSON.stringify(member)}]`;
}

/** The columns of delimited rows that hold words; all columns if none do. */
export function listTextCells(
  names: readonly string[],
  rows: readonly string[][],
  texts: readonly string[],
): TextColumn[] {
  const found = new Map<string, string>();
  for (const [column, name] of names.entries()) {
    if (texts.length > 0 && !texts.includes(name)) continue;
    found.set(name, exampleOf(rows.find((row) => (row[column] ?? '') !== '')?.[column] ?? ''));
  }
  return columnsOf(found).slice(0, maxColumns);
}

function columnsOf(found: ReadonlyMap<string, string>): TextColumn[] {
  return [...found].map(([name, example]) => ({ name, example: example === '' ? null : example }));
}

function exampleOf(text: string): string {
  return text.slice(0, exampleLength).trim().replaceAll(/\s+/g, ' ');
}

function isPlain(name: string): boolean {
  return name !== '' && !/[.[\]"]/.test(name);
}
