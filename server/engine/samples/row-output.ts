import { mergeSchemas, createSchemaCollector, type RowSchema, type RowsSummary } from '../../tables/row-schema.ts';
import { parseRow, withInfinities } from '../../tables/jsonl.ts';
import type { OutputChoice } from '../shards/shard.ts';
import type { ByteCollector } from '../workers/byte-collector.ts';

/** Collects the rows of a result that is written in another format than its source. */
export type RowOutput = {
  /** Adds a row: a JSON object in UTF-8. */
  append(row: Uint8Array | Readonly<Record<string, unknown>>): void;
  /** Counts a value of a column that JSON lacks and that became null. */
  countNonFinite(column: string): void;
  /** Says what columns of the next rows hold, beyond what the rows show. */
  declare(columns: RowSchema): void;
  summary(): RowsSummary;
};

/** Files are cut at multiples of at most this many bytes, or before a longer row. */
const unitBytes = 1 << 20;
const lineEnd = Buffer.from('\n');

export function createRowOutput(bytes: ByteCollector, { format, shardBytes }: OutputChoice): RowOutput {
  const units: RowsSummary['units'] = [];
  const fullBytes = Math.min(unitBytes, shardBytes);
  const schema = format === 'PARQUET' ? createSchemaCollector() : undefined;
  const nonFinite = new Map<string, number>();
  let unit: RowsSummary['units'][number] | undefined;
  return {
    append(row) {
      const line = row instanceof Uint8Array ? onOneLine(row) : Buffer.from(JSON.stringify(row));
      if (schema !== undefined) {
        const parsed = parseRow(withInfinities(line));
        if (parsed.ok) schema.add(parsed.row);
      }
      bytes.append(line);
      bytes.append(lineEnd);
      if (unit === undefined || unit[0] + line.length >= fullBytes) {
        unit = [0, 0];
        units.push(unit);
      }
      unit[0] += line.length + 1;
      unit[1] += 1;
    },
    countNonFinite: (column) => nonFinite.set(column, (nonFinite.get(column) ?? 0) + 1),
    declare: (columns) => schema?.declare(columns),
    summary: () => ({
      units,
      ...(schema === undefined ? {} : { schema: schema.schema() }),
      ...(nonFinite.size === 0 ? {} : { nonFinite: Object.fromEntries(nonFinite) }),
    }),
  };
}

/** Line ends between the values of a JSON object become blanks; within strings there are none. */
function onOneLine(row: Uint8Array): Uint8Array {
  if (!row.includes(0x0a) && !row.includes(0x0d)) return row;
  return row.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte));
}

/** The columns of several shards, in their order. */
export function unitedSchema(schemas: readonly RowSchema[]): RowSchema {
  return schemas.reduce<RowSchema>((united, schema) => mergeSchemas(united, schema), []);
}
