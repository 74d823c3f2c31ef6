import {
  BIGINT,
  BLOB,
  DuckDBListType,
  DuckDBMapType,
  DuckDBScalarFunction,
  DuckDBStructType,
  INTEGER,
  VARCHAR,
  type DuckDBBlobValue,
  type DuckDBConnection,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { timestampText, timeText } from '../arrow/arrow-times.ts';
import { identifier, literal } from './text-patterns.ts';

/**
 * How values are stored whose type the library rounds: nanoseconds with a time zone or of a day, the 96-bit timestamps
 * of old writers, decimals of more than 38 digits; and texts, some of which are not UTF-8. The library reads their stored form if the footer names no other.
 */
export type StoredForm =
  | { kind: 'INSTANT' | 'TIME' | 'INT96' | 'TEXT' }
  | { kind: 'DECIMAL'; precision: number; scale: number };

/** The type that readers see. */
export function typeOfForm(form: StoredForm): string {
  switch (form.kind) {
    case 'DECIMAL':
      return `DECIMAL(${form.precision}, ${form.scale})`;
    case 'INSTANT':
      return 'TIMESTAMP WITH TIME ZONE';
    case 'TIME':
      return 'TIME';
    case 'INT96':
      return 'TIMESTAMP';
    case 'TEXT':
      return 'VARCHAR';
  }
}

const names = { INSTANT: 'exact_instant', TIME: 'exact_time', INT96: 'exact_int96', DECIMAL: 'exact_decimal' } as const;

/** The functions that write stored forms as texts with all their digits. */
export function registerExactTexts(connection: DuckDBConnection): void {
  const register = (
    name: string,
    parameter: DuckDBType,
    textOf: (value: DuckDBValue, scale: number) => string,
  ): void => {
    const hasScale = name === names.DECIMAL;
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        returnType: VARCHAR,
        parameterTypes: hasScale ? [parameter, INTEGER] : [parameter],
        mainFunction(_info, input, output) {
          const values = input.getColumnVector(0);
          const scales = hasScale ? input.getColumnVector(1) : undefined;
          for (let row = 0; row < input.rowCount; row += 1) {
            const value = values.getItem(row);
            output.setItem(row, value === null ? null : textOf(value, Number(scales?.getItem(row) ?? 0)));
          }
          output.flush();
        },
      }),
    );
  };
  register(names.INSTANT, BIGINT, (value) => timestampText(value as bigint, perSecond, true));
  register(names.TIME, BIGINT, (value) => timeText(value as bigint, perSecond));
  register(names.INT96, BLOB, (value) => int96Text((value as DuckDBBlobValue).bytes));
  register(names.DECIMAL, BLOB, (value, scale) => decimalText((value as DuckDBBlobValue).bytes, scale));
}

/** SQL of a stored value as text. */
function textSql(sql: string, form: StoredForm): string {
  if (form.kind === 'TEXT') return `try(decode(${sql}))`;
  return form.kind === 'DECIMAL' ? `${names.DECIMAL}(${sql}, ${form.scale})` : `${names[form.kind]}(${sql})`;
}

/** SQL that is true for a stored value that the library would change. */
export function isRoundedSql(sql: string, form: StoredForm): string {
  switch (form.kind) {
    case 'DECIMAL':
      return `${sql} is not null`;
    case 'TEXT':
      return `(${sql} is not null and ${textSql(sql, form)} is null)`;
    case 'INT96':
      return `regexp_matches(${textSql(sql, form)}, '[.][0-9]{7}')`;
    default:
      return `${sql} % 1000 <> 0`;
  }
}

const perSecond = 1_000_000_000n;
const nanosOfDay = 86_400n * perSecond;
const julianEpoch = 2_440_588n;

/** Nanoseconds of the day, and the Julian day. */
function int96Text(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const days = BigInt(view.getInt32(8, true)) - julianEpoch;
  return timestampText(days * nanosOfDay + view.getBigInt64(0, true), perSecond, false);
}

/** A big-endian number in two's complement. */
export function decimalText(bytes: Uint8Array, scale: number): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  const number = BigInt.asIntN(8 * bytes.length, BigInt(`0x${hex === '' ? '0' : hex}`));
  const digits = String(number < 0n ? -number : number).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${number < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}

/** How many values a type has of its own, in the order of a file's leaf columns. */
export function leavesOf(type: DuckDBType | undefined): number {
  if (type instanceof DuckDBListType) return leavesOf(type.valueType);
  if (type instanceof DuckDBMapType) return leavesOf(type.keyType) + leavesOf(type.valueType);
  if (type instanceof DuckDBStructType) return type.entryTypes.reduce((sum, entry) => sum + leavesOf(entry), 0);
  return 1;
}

/** SQL of a value with texts in place of the stored forms within it; `forms` are those of its leaves, in order. */
export function exactSql(
  sql: string,
  type: DuckDBType | undefined,
  forms: readonly (StoredForm | undefined)[],
): string {
  if (forms.every((form) => form === undefined)) return sql;
  if (type instanceof DuckDBListType) return listSql(sql, (item) => exactSql(item, type.valueType, forms));
  if (type instanceof DuckDBMapType) {
    const keys = leavesOf(type.keyType);
    const entry = (item: string): string => {
      const key = exactSql(`struct_extract(${item}, 'key')`, type.keyType, forms.slice(0, keys));
      const value = exactSql(`struct_extract(${item}, 'value')`, type.valueType, forms.slice(keys));
      return `struct_pack(key := ${key}, value := ${value})`;
    };
    return `map_from_entries(${listSql(`map_entries(${sql})`, entry)})`;
  }
  if (type instanceof DuckDBStructType) {
    let next = 0;
    const members = type.entryNames.map((name, index) => {
      const entry = type.entryTypes[index];
      const own = forms.slice(next, (next += leavesOf(entry)));
      return `${identifier(name)} := ${exactSql(`struct_extract(${sql}, ${literal(name)})`, entry, own)}`;
    });
    return `case when ${sql} is null then null else struct_pack(${members.join(', ')}) end`;
  }
  const [form] = forms;
  return form === undefined ? sql : textSql(sql, form);
}

let items = 0;

function listSql(list: string, itemOf: (name: string) => string): string {
  const name = `exact${(items += 1)}`;
  return `list_transform(${list}, lambda ${name}: ${itemOf(name)})`;
}
