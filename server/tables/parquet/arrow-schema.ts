import type { DataType, Field } from 'apache-arrow';
import { loadArrow, type Arrow } from '../arrow/arrow-library.ts';
import type { ColumnType } from './parquet-protocol.ts';

/**
 * Adds nullable fields to the Arrow schema of a Parquet file (the value of `ARROW:schema`: an IPC message in base64):
 * readers fail if it has fewer fields than the file has columns. Returns undefined if the schema can't be read, or
 * can't express one of the types.
 */
export function withFields(schema: string, added: readonly ColumnType[]): string | undefined {
  if (added.length === 0) return schema;
  const arrow = loadArrow();
  const fields = added.map((column) => fieldOf(arrow, column));
  if (!fields.every((field) => field !== undefined)) return undefined;
  try {
    const known = new arrow.MessageReader(Buffer.from(schema, 'base64')).readSchema();
    if (known === undefined) return undefined;
    const writer = new arrow.RecordBatchStreamWriter();
    writer.reset(undefined, new arrow.Schema([...known.fields, ...fields], known.metadata, known.dictionaries));
    writer.finish();
    return Buffer.from(writer.toUint8Array(true)).toString('base64');
  } catch {
    return undefined;
  }
}

function fieldOf(arrow: Arrow, { name, type }: ColumnType): Field | undefined {
  const dataType = typeOf(arrow, type);
  return dataType === undefined ? undefined : new arrow.Field(name, dataType, true);
}

function typeOf(arrow: Arrow, type: string): DataType | undefined {
  if (type.endsWith('[]')) {
    const item = typeOf(arrow, type.slice(0, -'[]'.length));
    return item === undefined ? undefined : new arrow.List(new arrow.Field('element', item, true));
  }
  switch (type) {
    case 'BOOLEAN':
      return new arrow.Bool();
    case 'BIGINT':
      return new arrow.Int64();
    case 'DOUBLE':
      return new arrow.Float64();
    case 'VARCHAR':
    case 'JSON':
      return new arrow.Utf8();
    default:
      return undefined;
  }
}
