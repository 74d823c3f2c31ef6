import {
  areSameColumns,
  changedColumns,
  createColumnsRelay,
  headerColumns,
  includesColumns,
  mergeColumns,
  type DelimitedColumns,
} from '../../../tables/delimited-columns.ts';
import type { ValueChange } from '../../../tables/json-values.ts';
import type { TableLayout } from '../../../tables/table-layout.ts';
import type { PieceOutput } from '../../orders/shard.ts';
import type { ByteCollector } from '../byte-collector.ts';

/**
 * Writes rows of a delimited file whose columns differ from the source's. Rows are written under the columns so far;
 * when a row adds a column, the rows before it are rewritten in `finish`.
 */
export type RowColumnsWriter = {
  /** Whether the rows so far have the columns of the source. */
  readonly isSource: boolean;
  /** Prepares for a row with these changes; `flush` must write all bytes before it. */
  begin(changes: readonly ValueChange[], flush: () => void): void;
  /** Converts the row of the last `begin` to the columns so far. */
  place(row: Uint8Array): Uint8Array;
  /** Ends the bytes written so far; returns their columns for the output. */
  finish(): Pick<PieceOutput, 'table'>;
};

export function createRowColumnsWriter(
  bytes: ByteCollector,
  { layout, isWhole, isFileStart }: { layout: TableLayout; isWhole: boolean; isFileStart: boolean },
): RowColumnsWriter {
  const start = bytes.length;
  const source = headerColumns(layout.delimited ?? {});
  /** Columns of the rows from each position on. */
  const runs: { start: number; columns: DelimitedColumns }[] = [];
  let columns: DelimitedColumns | undefined;
  let own = source;

  return {
    get isSource() {
      return columns === undefined || areSameColumns(columns, source, source);
    },
    begin(changes, flush) {
      own = changedColumns(changes, source);
      if (columns !== undefined && includesColumns(columns, own, source)) return;
      if (columns !== undefined) flush();
      columns = mergeColumns(columns === undefined ? [own] : [columns, own], source);
      runs.push({ start: runs.length === 0 ? start : bytes.length, columns });
    },
    place(row) {
      if (columns === undefined || areSameColumns(own, columns, source)) return row;
      const relay = createColumnsRelay({ layout, from: own, to: columns, header: 'NONE' });
      return Buffer.concat([relay.push(row), relay.end()]);
    },
    finish() {
      if (columns === undefined) return {};
      const isAsSource = areSameColumns(columns, source, source);
      if (runs.length > 1 || (isWhole && !isAsSource)) {
        const written = bytes.cut(start);
        for (const [number, run] of runs.entries()) {
          const header = number > 0 || !isFileStart ? 'NONE' : isWhole ? 'WRITE' : 'KEEP';
          const relay = createColumnsRelay({ layout, from: run.columns, to: columns, header });
          bytes.append(relay.push(written.subarray(run.start - start, (runs[number + 1]?.start ?? Infinity) - start)));
          bytes.append(relay.end());
        }
      }
      return isWhole || isAsSource ? {} : { table: { layout, columns } };
    },
  };
}
