import { createSchemaCollector, type RowSchema, type RowsSummary } from '../../../tables/row-schema.ts';
import { hasRoundedNumber } from '../../../kernel/exact-json.ts';
import { runSentences } from '../../../kernel/sentences/index.ts';
import { parseRow, withInfinities } from '../../../tables/jsonl.ts';
import { folderOf, maxOutputFolders } from '../../orders/output-folders.ts';
import { SetupError } from '../../orders/setup-error.ts';
import type { OutputChoice } from '../../orders/shard.ts';
import type { ByteCollector } from '../byte-collector.ts';

/** Collects the rows of a result that is written in another format than its source. */
export type RowOutput = {
  /** Adds a row: a JSON object in UTF-8. */
  append(row: Uint8Array | Readonly<Record<string, unknown>>): void;
  /** Counts a value that JSON can't represent and that became null. */
  countNonFinite(column: string): void;
  /** Declares the types of columns in the next rows, which the rows alone may not show. */
  declare(columns: RowSchema): void;
  /** Appends pending rows; no row may follow. */
  finish(): void;
  summary(): RowsSummary;
};

/** Files are cut between units of at most this many bytes; a longer row is a unit of its own. */
const unitBytes = 1 << 20;
const lineEnd = Buffer.from('\n');

export function createRowOutput(bytes: ByteCollector, { format, shardBytes, folderBy }: OutputChoice): RowOutput {
  const units: RowsSummary['units'] = [];
  const fullBytes = Math.min(unitBytes, shardBytes);
  const schema = format === 'PARQUET' ? createSchemaCollector() : undefined;
  const nonFinite = new Map<string, number>();
  const long = new Map<string, number>();
  let unit: RowsSummary['units'][number] | undefined;
  /** Rows by folder, held until the end so that each folder's rows are contiguous. */
  const folders = new Map<string, Uint8Array[]>();

  function write(line: Uint8Array, folder: string | undefined): void {
    bytes.append(line);
    bytes.append(lineEnd);
    if (unit === undefined || unit[2] !== folder || unit[0] + line.length >= fullBytes) {
      unit = folder === undefined ? [0, 0] : [0, 0, folder];
      units.push(unit);
    }
    unit[0] += line.length + 1;
    unit[1] += 1;
  }

  function hold(line: Uint8Array, folder: string): void {
    const held = folders.get(folder);
    // Copied, because the row's bytes belong to a block that is overwritten.
    if (held !== undefined) held.push(Uint8Array.from(line));
    else if (folders.size < maxOutputFolders) folders.set(folder, [Uint8Array.from(line)]);
    else
      throw new SetupError(
        runSentences.TOO_MANY_FOLDERS.reason({ column: JSON.stringify(folderBy), limit: maxOutputFolders }),
      );
  }

  return {
    append(row) {
      const line = row instanceof Uint8Array ? onOneLine(row) : Buffer.from(JSON.stringify(row));
      if (schema === undefined && folderBy === undefined) {
        write(line, undefined);
        return;
      }
      const parsed = parseRow(withInfinities(line));
      if (parsed.ok && schema !== undefined) {
        schema.add(parsed.row);
        for (const [name, value] of Object.entries(parsed.row))
          if (hasRoundedNumber(value)) long.set(name, (long.get(name) ?? 0) + 1);
      }
      if (folderBy === undefined) write(line, undefined);
      else hold(line, folderOf(parsed.ok && Object.hasOwn(parsed.row, folderBy) ? parsed.row[folderBy] : null));
    },
    finish() {
      for (const folder of [...folders.keys()].toSorted()) {
        for (const line of folders.get(folder) ?? []) write(line, folder);
      }
      folders.clear();
    },
    countNonFinite: (column) => nonFinite.set(column, (nonFinite.get(column) ?? 0) + 1),
    declare: (columns) => schema?.declare(columns),
    summary: () => ({
      units,
      ...(schema === undefined ? {} : { schema: schema.schema() }),
      ...(long.size === 0 ? {} : { long: Object.fromEntries(long) }),
      ...(nonFinite.size === 0 ? {} : { nonFinite: Object.fromEntries(nonFinite) }),
    }),
  };
}

/** Replaces line ends between the values of a JSON object by blanks; its strings contain none. */
function onOneLine(row: Uint8Array): Uint8Array {
  if (!row.includes(0x0a) && !row.includes(0x0d)) return row;
  return row.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte));
}
