import type { RowSchema, ValueKind } from '../row-schema.ts';
import type { ColumnShape } from './text-patterns.ts';

/**
 * What the types of columns say about their values as JSON, which the values alone may not show: whole numbers may
 * belong to a DOUBLE column. A type whose JSON may be of several kinds gets the kind `null`, so its values decide.
 */
export function kindsOf(columns: Readonly<Record<string, ColumnShape>>, names: readonly string[]): RowSchema {
  return names.map((name) => {
    const shape = Object.hasOwn(columns, name) ? columns[name] : undefined;
    return [name, shape === undefined ? { kind: 'null' } : kindOf(shape)];
  });
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
const texts = /^(?:DATE|TIME|TIMESTAMP|INTERVAL|BLOB|UUID|ENUM|BIT)\b/;

function kindOf(shape: ColumnShape): ValueKind {
  switch (shape.kind) {
    case 'text':
      return { kind: 'text' };
    case 'list':
      return { kind: 'list', item: kindOf(shape.item) };
    case 'struct':
      return { kind: 'object', fields: Object.entries(shape.members).map(([name, member]) => [name, kindOf(member)]) };
    case 'other':
      if (shape.type === 'BOOLEAN') return { kind: 'boolean' };
      if (integers.test(shape.type)) return { kind: 'integer' };
      if (fractions.test(shape.type)) return { kind: 'number' };
      return { kind: texts.test(shape.type) ? 'text' : 'null' };
  }
}
