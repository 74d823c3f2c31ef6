import type { RowSchema, ValueKind } from '../row-schema.ts';
import type { ParquetColumn } from './parquet-protocol.ts';
import type { ColumnShape } from './text-patterns.ts';

/**
 * What the types of columns say about their values as JSON, which the values alone may not show: whole numbers may
 * belong to a DOUBLE column. A type whose JSON may be of several kinds gets the kind `null`, so its values decide.
 */
export function kindsOf(columns: readonly ParquetColumn[]): RowSchema {
  return columns.map(({ name, shape, kind }) => [name, kind ?? kindOf(shape)]);
}

/** `NULL`: of Parquet's type null, which has no values; `EMPTY`: of another type, but without values in this file. */
export type LeafState = 'NULL' | 'EMPTY' | 'FILLED';

/** The kind of a column whose leaves, in the order of the file, are so; its type alone decides if they don't match it. */
export function kindOfLeaves(shape: ColumnShape, leaves: readonly LeafState[]): ValueKind {
  let next = 0;
  const kind = kindOf(shape, () => leaves[next++] ?? 'FILLED');
  return next === leaves.length ? kind : kindOf(shape);
}

/** The column types that rows in another format lose: `at: TIMESTAMP → text`. */
export function changedKinds(
  columns: readonly { name: string; shape: ColumnShape }[],
  format: 'PARQUET' | 'JSONL',
): string[] {
  return columns.flatMap(({ name, shape }) => changesOf(name, shape, format));
}

function changesOf(path: string, shape: ColumnShape, format: 'PARQUET' | 'JSONL'): string[] {
  if (shape.kind === 'list') return changesOf(`${path}[*]`, shape.item, format);
  if (shape.kind === 'struct')
    return Object.entries(shape.members).flatMap(([name, member]) => changesOf(`${path}.${name}`, member, format));
  if (shape.kind === 'text') return [];
  const { type } = shape;
  const { kind } = kindOf(shape);
  const now = format === 'PARQUET' ? parquetTypes.get(kind) : jsonTypes.get(kind);
  if (now === type || (kind === 'boolean' && format === 'JSONL')) return [];
  // JSON has a single number type; of Parquet's number types, only decimals become different numbers there.
  if (format === 'JSONL' && (integers.test(type) || /^(?:FLOAT|DOUBLE)$/.test(type))) return [];
  return [`${path}: ${type} → ${now ?? 'by its values'}`];
}

const parquetTypes = new Map([
  ['boolean', 'BOOLEAN'],
  ['integer', 'BIGINT'],
  ['number', 'DOUBLE'],
  ['text', 'VARCHAR'],
]);
const jsonTypes = new Map([
  ['number', 'a number'],
  ['text', 'text'],
]);

const integers = /^U?(?:TINYINT|SMALLINT|INTEGER)$|^BIGINT$/;
// A decimal without a fraction may have more digits than a DOUBLE holds.
const fractions = /^(?:FLOAT|DOUBLE|DECIMAL\(\d+, ?[1-9]\d*\))$/;
const texts = /^(?:DATE|TIME|TIMESTAMP(?:_NS|_MS|_S)?|INTERVAL|BLOB|UUID|ENUM|BIT)\b/;
/** Of more than 38 digits, which are extracted as texts. */
const longDecimals = /^DECIMAL\((?:39|[4-9]\d|\d{3,}),/;

function kindOf(shape: ColumnShape, nextLeaf: () => LeafState = () => 'FILLED'): ValueKind {
  if (shape.kind === 'list') return { kind: 'list', item: kindOf(shape.item, nextLeaf) };
  if (shape.kind === 'struct') {
    const members = Object.entries(shape.members);
    return { kind: 'object', fields: members.map(([name, member]) => [name, kindOf(member, nextLeaf)]) };
  }
  const leaf = nextLeaf();
  if (leaf === 'NULL') return { kind: 'null' };
  const kind = shape.kind === 'text' ? 'text' : kindOfType(shape.type);
  return leaf === 'EMPTY' && kind !== 'null' ? { kind, isEmpty: true } : { kind };
}

function kindOfType(type: string): 'boolean' | 'integer' | 'number' | 'text' | 'null' {
  if (type === 'BOOLEAN') return 'boolean';
  if (integers.test(type)) return 'integer';
  if (longDecimals.test(type)) return 'text';
  if (fractions.test(type)) return 'number';
  return texts.test(type) ? 'text' : 'null';
}
