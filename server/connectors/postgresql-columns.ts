import type { RowColumn } from './connector.ts';

/** A column in Parquet, and the SQL expression that `row_to_json` writes as its value. */
export type SelectedColumn = { column: RowColumn; sql: string };

const asInJson: Readonly<Record<string, string>> = {
  smallint: 'SMALLINT',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  oid: 'UINTEGER',
  real: 'FLOAT',
  'double precision': 'DOUBLE',
  boolean: 'BOOLEAN',
  text: 'VARCHAR',
  'character varying': 'VARCHAR',
  character: 'VARCHAR',
  bpchar: 'VARCHAR',
  name: 'VARCHAR',
};

const asText: Readonly<Record<string, string>> = {
  date: 'DATE',
  'time without time zone': 'TIME',
  'timestamp without time zone': 'TIMESTAMP',
  'timestamp with time zone': 'TIMESTAMPTZ',
  uuid: 'UUID',
};

/** Maps a column, by its type as `format_type` names it, to Parquet; `sql` is the expression of its value. */
export function selectedColumn(name: string, type: string, sql: string): SelectedColumn {
  const isList = type.endsWith('[]');
  const list = isList ? '[]' : '';
  const item = isList ? type.slice(0, -2) : type;
  // `timestamp(3) with time zone`, `numeric(10,2)`
  const [, limits = ''] = /\((.*?)\)/.exec(item) ?? [];
  const plain = item.replace(/\(.*?\)/, '');
  const text = `${sql}::text${list}`;
  const native = asInJson[plain];
  if (native !== undefined) return { column: { name, type: native + list }, sql };
  const castable = asText[plain];
  if (castable !== undefined) return { column: { name, type: castable + list, form: 'text' }, sql };
  if (plain === 'json' || plain === 'jsonb') return { column: { name, type: `JSON${list}`, form: 'text' }, sql: text };
  const decimal = plain === 'numeric' ? decimalOf(limits) : undefined;
  if (decimal !== undefined) return { column: { name, type: decimal + list, form: 'text' }, sql: text };
  if (type === 'bytea') return { column: { name, type: 'BLOB', form: 'hex' }, sql: `encode(${sql}, 'hex')` };
  const becomesText = type === 'numeric' ? 'numeric without a precision' : type;
  return { column: { name, type: `VARCHAR${list}`, form: 'text', becomesText }, sql: text };
}

/** `10,2` as a decimal type; undefined if it needs more than 38 digits or has no limits. */
function decimalOf(limits: string): string | undefined {
  if (limits === '') return undefined;
  const [precision = 0, scale = 0] = limits.split(',').map(Number);
  // A negative scale rounds left of the point; a scale above the precision has zeros right of it.
  const digits = Math.max(precision, scale) - Math.min(0, scale);
  return digits > 38 ? undefined : `DECIMAL(${digits},${Math.max(0, scale)})`;
}
