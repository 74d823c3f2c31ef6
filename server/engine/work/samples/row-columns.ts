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
 * Writes rows of a delimited file that have other columns than its source. Rows are written under the columns of those
 * before them; when one has a further column, those before are written anew at the end.
 */
export type RowColumnsWriter = {
  /** Whether the rows so far have the columns of the source. */
  readonly isSource: boolean;
  /** Prepares for a row whose values are changed so; `flush` writes what comes before it. */
  begin(changes: readonly ValueChange[], flush: () => void): void;
  /** The row of the last `begin` among those before it. */
  place(row: Uint8Array): Uint8Array;
  /** Ends the bytes that were written; returns what their output says of its columns. */
  finish(): Pick<PieceOutput, 'table'>;
};

export function createRowColumnsWriter(
  bytes: ByteCollector,
  { layout, isWhole, isFileStart }: { layout: TableLayout; isWhole: boolean; isFileStart: boolean },
): RowColumnsWriter {
  const start = bytes.length;
  const source = headerColumns(layout.delimited ?? {});
  /** The columns of the rows from a position on. */
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
