import type { StoredForm } from './exact-values.ts';

/** A row of `parquet_schema`. */
type SchemaRow = Readonly<Record<string, unknown>>;

/**
 * A leaf column of a Parquet file: its path, the index of the column that it is of, its type as readers see it, and how
 * its values are stored if the library would round them.
 */
export type LeafType = { path: string; column: number; type: string; form?: StoredForm };

/** The leaf columns of a file, in order. */
export function leafTypes(rows: readonly SchemaRow[]): LeafType[] {
  const leaves: LeafType[] = [];
  let column = 0;
  const read = (index: number, path: readonly string[]): number => {
    const row = rows[index] ?? {};
    const children = Number(row['num_children'] ?? 0);
    const name = String(row['name']);
    if (children === 0) {
      const form = formOf(row);
      leaves.push({
        path: [...path, name].join('.'),
        column,
        type: typeOf(row),
        ...(form === undefined ? {} : { form }),
      });
      return index + 1;
    }
    // Lists and maps have a repeated group with an arbitrary name.
    const own = row['repetition_type'] === 'REPEATED' ? path : [...path, name];
    let next = index + 1;
    for (let child = 0; child < children; child += 1) next = read(next, own);
    return next;
  };
  for (let index = 1; index < rows.length; column += 1) index = read(index, []);
  return leaves;
}

/** Types that changed when a file was rewritten: `half: FLOAT16 → FLOAT (100 values)`. */
export function changedTypes(
  before: readonly LeafType[],
  after: readonly LeafType[],
  values: readonly number[],
): string[] {
  return before.flatMap(({ path, type }, index) => {
    const now = after[index]?.type ?? 'nothing';
    return now === type ? [] : [`${path}: ${type} → ${now} (${values[index] ?? 0} values)`];
  });
}

const converted: Readonly<Record<string, string>> = { UTF8: 'STRING', INT_32: 'INT32', INT_64: 'INT64' };

function typeOf(row: SchemaRow): string {
  const [logical, legacy] = [textOf(row['logical_type']), textOf(row['converted_type'])];
  const [physical, length] = [textOf(row['type']), Number(row['type_length'] ?? 0)];
  const unit = /(MILLIS|MICROS|NANOS)=[A-Z]/.exec(logical)?.[1] ?? '';
  const zone = logical.includes('isAdjustedToUTC=1') ? ', UTC' : '';
  if (logical.startsWith('TimestampType')) return `TIMESTAMP(${unit}${zone})`;
  if (logical.startsWith('TimeType')) return `TIME(${unit})`;
  if (logical.startsWith('Decimal') || legacy === 'DECIMAL')
    return `DECIMAL(${String(row['precision'])}, ${String(row['scale'])})`;
  if (logical.startsWith('Float16')) return 'FLOAT16';
  if (/^(?:Null|Unknown)/.test(logical)) return 'NULL';
  if (logical.startsWith('UUID')) return 'UUID';
  // Without a logical type, times from old writers are in UTC.
  const time = /^(TIME|TIMESTAMP)_(MILLIS|MICROS)$/.exec(legacy);
  if (time !== null) return time[1] === 'TIME' ? `TIME(${time[2]})` : `TIMESTAMP(${time[2]}, UTC)`;
  if (legacy !== '') return converted[legacy] ?? legacy;
  if (physical === 'INT96') return 'TIMESTAMP(NANOS)';
  if (physical === 'FIXED_LEN_BYTE_ARRAY') return `FIXED_LEN_BYTE_ARRAY(${length})`;
  return logical === '' ? physical : logical.replace(/Type\(.*$/, '').toUpperCase();
}

/** Most digits of the library's decimals; those with more are read as floating-point numbers. */
const mostDigits = 38;

function formOf(row: SchemaRow): StoredForm | undefined {
  const [type, precision] = [textOf(row['type']), Number(row['precision'] ?? 0)];
  if (type === 'INT96') return { kind: 'INT96' };
  const logical = textOf(row['logical_type']);
  if (type === 'INT64' && /NANOS=[A-Z]/.test(logical)) {
    if (logical.startsWith('TimeType')) return { kind: 'TIME' };
    return logical.includes('isAdjustedToUTC=1') ? { kind: 'INSTANT' } : undefined;
  }
  const isDecimal = logical.startsWith('Decimal') || row['converted_type'] === 'DECIMAL';
  if (!isDecimal || precision <= mostDigits || !type.endsWith('BYTE_ARRAY')) return undefined;
  return { kind: 'DECIMAL', precision, scale: Number(row['scale'] ?? 0) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
