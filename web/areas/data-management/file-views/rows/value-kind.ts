/** User-facing kinds of column types. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'time' | 'list' | 'object' | 'mixed' | 'bytes' | 'empty';

const numbers =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|BIGNUM|FLOAT|DOUBLE|REAL|DECIMAL.*|NUMERIC.*|INT\d*)$/i;
const times = /^(?:DATE|TIME.*|INTERVAL)$/i;

/** The kind of a DuckDB type. */
export function kindOfType(type: string): ValueKind {
  if (type.endsWith(']')) return 'list';
  if (/^(?:STRUCT|MAP|UNION)/i.test(type)) return 'object';
  if (numbers.test(type)) return 'number';
  if (times.test(type)) return 'time';
  if (/^BOOL/i.test(type)) return 'boolean';
  if (/^(?:BLOB|BIT)/i.test(type)) return 'bytes';
  if (type.toUpperCase() === 'JSON') return 'mixed';
  return type === '' || type.toUpperCase() === 'NULL' || type === '"NULL"' ? 'empty' : 'text';
}
