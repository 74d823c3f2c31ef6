import { identifier } from '../parquet/text-patterns.ts';
import { typeOfKind, type ValueKind } from '../row-schema.ts';
import type { ViewColumn } from './view-protocol.ts';

/**
 * The index column for values of a kind. Numbers and truth values mixed with texts become texts, as in a data frame or
 * a CSV file.
 */
export function viewColumnOf(name: string, kind: ValueKind): ViewColumn {
  return kind.kind === 'scalars' ? { name, type: 'VARCHAR', isMixed: true } : { name, type: typeOfKind(kind) };
}

type StoredColumn = Pick<ViewColumn, 'type' | 'isMixed' | 'hasDigits' | 'hasHalves'>;

/**
 * The type that the index stores. Mixed columns are stored as JSON, which distinguishes the number 10 from the text
 * "10".
 */
export function storedTypeOf({ type, isMixed }: StoredColumn): string {
  if (isMixed === true) return 'JSON';
  // Parquet has no HUGEINT and would store it as DOUBLE. Member names are quoted and stay as they are.
  return type.replaceAll(/"(?:[^"]|"")*"|\bU?HUGEINT\b/g, (part) => (part.startsWith('"') ? part : 'DECIMAL(38,0)'));
}

/** SQL for a column of an index in the type shown to users. */
export function indexedValueOf(column: StoredColumn, place: number): string {
  const stored = identifier(`c${place}`);
  if (column.isMixed === true) return plainTextOf(stored);
  return storedTypeOf(column) === column.type ? stored : `cast(${stored} as ${column.type})`;
}

/** The plain texts of a mixed column; numbers keep all their digits. */
export function plainTextOf(sql: string): string {
  return `(case when starts_with(${sql}, '"') then json_extract_string(${sql}, '$') else ${sql} end)`;
}

/**
 * Companion columns with the JSON of values that the index column itself can't hold exactly; null in all other rows.
 */
export function exactPartsOf(column: StoredColumn, place: number): string[] {
  const parts: string[] = [];
  if (column.hasHalves === true) parts.push(`h${place}`);
  // A JSON column already has all digits.
  if (column.hasDigits === true && storedTypeOf(column) !== 'JSON') parts.push(`d${place}`);
  return parts;
}
