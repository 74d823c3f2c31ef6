import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import type { FieldText } from '../../../tables/field-paths.ts';
import type { ValueChange } from '../../../tables/json-values.ts';

/** Types of columns, by name. */
type ColumnTypes = Readonly<Record<string, string>>;

/** Values, including null, that steps wrote into columns of a row, besides its texts. */
export type WrittenColumns = Readonly<Record<string, unknown>>;

/**
 * The changes of a row that a rewritten file can hold: new columns, and columns of a plain type that fits the value. Or
 * why the file can't hold a change.
 */
export function columnsIn(
  changes: readonly ValueChange[],
  places: readonly FieldText[],
  types: ColumnTypes,
): { columns: WrittenColumns } | { problem: Reason } {
  const columns: Record<string, unknown> = {};
  for (const change of changes) {
    const [name, ...rest] = change.path;
    if (typeof name !== 'string') throw new TypeError('A row is no list');
    const column = JSON.stringify(name);
    if (places.some(({ path }) => path === change.path) && 'value' in change) continue;
    if (!('value' in change) && !('items' in change))
      return { problem: inputProblems.PARQUET_COLUMN_STAYS.reason({ column }) };
    if (rest.length > 0 || !('value' in change))
      return { problem: inputProblems.PARQUET_NESTED_STAYS.reason({ column }) };
    const problem = problemOf(name, change.value, types);
    if (problem !== undefined) return { problem };
    columns[name] = change.value;
  }
  return { columns };
}

function problemOf(name: string, value: unknown, types: ColumnTypes): Reason | undefined {
  const column = JSON.stringify(name);
  if (Object.hasOwn(types, name)) {
    const type = types[name] ?? '';
    return holds(type, value) ? undefined : inputProblems.PARQUET_OTHER_VALUE.reason({ column, type });
  }
  if (name === '' || name.toLowerCase() === 'file_row_number') return inputProblems.PARQUET_NO_NAME.reason({ column });
  const other = Object.keys(types).find((known) => known.toLowerCase() === name.toLowerCase());
  if (other === undefined) return undefined;
  return inputProblems.PARQUET_SAME_NAME.reason({ column, other: JSON.stringify(other) });
}

/** Whether a column of a type holds the value without conversion. */
function holds(type: string, value: unknown): boolean {
  if (value === null) return true;
  switch (type) {
    case 'VARCHAR':
      return typeof value === 'string';
    case 'BOOLEAN':
      return typeof value === 'boolean';
    case 'BIGINT':
      return Number.isSafeInteger(value);
    case 'DOUBLE':
      return typeof value === 'number';
    default:
      return false;
  }
}
