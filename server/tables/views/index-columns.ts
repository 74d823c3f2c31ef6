import { identifier } from '../parquet/text-patterns.ts';
import { typeOfKind, type ValueKind } from '../row-schema.ts';
import type { ViewColumn } from './view-protocol.ts';

/** The column of an index for values of a kind: numbers and truth values among texts are texts, as in a data frame or a CSV. */
export function viewColumnOf(name: string, kind: ValueKind): ViewColumn {
  return kind.kind === 'scalars' ? { name, type: 'VARCHAR', isMixed: true } : { name, type: typeOfKind(kind) };
}

type StoredColumn = Pick<ViewColumn, 'type' | 'isMixed' | 'hasDigits' | 'hasHalves'>;

/** As the index has it. A comparison tells the number 10 from the text "10" by that. */
export function storedTypeOf({ type, isMixed }: StoredColumn): string {
  if (isMixed === true) return 'JSON';
  // Parquet has no HUGEINT: it would be written as a DOUBLE. The names of members stand in quotes.
  return type.replaceAll(/"(?:[^"]|"")*"|\bU?HUGEINT\b/g, (part) => (part.startsWith('"') ? part : 'DECIMAL(38,0)'));
}

/** A column of an index, as people ask for it. */
export function indexedValueOf(column: StoredColumn, place: number): string {
  const stored = identifier(`c${place}`);
  if (column.isMixed === true) return plainTextOf(stored);
  return storedTypeOf(column) === column.type ? stored : `cast(${stored} as ${column.type})`;
}

/** The plain texts of a mixed column; numbers keep all of their digits. */
export function plainTextOf(sql: string): string {
  return `(case when starts_with(${sql}, '"') then json_extract_string(${sql}, '$') else ${sql} end)`;
}

/** The columns beside one of an index that have its values as the file does, as JSON, where the index does not: null for all others. */
export function exactPartsOf(column: StoredColumn, place: number): string[] {
  const parts: string[] = [];
  if (column.hasHalves === true) parts.push(`h${place}`);
  // A column of JSON has all digits itself.
  if (column.hasDigits === true && storedTypeOf(column) !== 'JSON') parts.push(`d${place}`);
  return parts;
}
