import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, literal } from '../parquet/text-patterns.ts';
import type { BuildShare } from './build-share.ts';
import { groupRowsOf, indexFormat } from './index-format.ts';
import { storedTypeOf } from './index-columns.ts';
import type { ViewColumn } from './view-protocol.ts';
import type { TextSource } from './view-reading.ts';

/** What is known of the first bytes of a JSON Lines file; `longest`: bytes of its longest row. */
export type PlainTable = { columns: ViewColumn[]; bytes: number; rows: number; longest: number };

/** The library's part of a plain index build: reads the values from the file and writes them, in the background. */
export type PlainCopy = {
  start(table: PlainTable): void;
  isStarted(): boolean;
  /** Whether the running copy has all columns with their types, and its assumed group and row sizes still hold. */
  fits(table: PlainTable): boolean;
  /** Stops the copy and discards it. */
  stop(): Promise<void>;
  /** Progress from 0 to 1. */
  share(): number;
  /** Number of copied rows; undefined if the library could not read one. */
  finish(share: BuildShare): Promise<number | undefined>;
};

/** The library allocates twice this per thread. */
const minObjectBytes = 4 << 20;
/** Row groups up to this many times their target size still fit in memory. */
const maxGroupGrowth = 8;
const interruptEveryMs = 20;
const tellEveryMs = 500;

type Started = { table: PlainTable; maxBytes: number; isRunning: boolean; end: Promise<boolean> };

export function openPlainCopy(connection: DuckDBConnection, source: TextSource, indexPath: string): PlainCopy {
  let started: Started | undefined;

  async function copy(sql: string): Promise<boolean> {
    try {
      await connection.run(sql);
      return true;
    } catch {
      // Either stopped, or our reader accepts something that the library does not: NaN, a text with an unknown escape.
      return false;
    }
  }

  function share(): number {
    return started === undefined ? 0 : Math.max(0, connection.progress.percentage) / 100;
  }

  return {
    start(table) {
      // Includes the line end.
      const maxBytes = Math.max(minObjectBytes, table.longest + 2);
      const end = copy(copySql(source, indexPath, table, maxBytes));
      const begun: Started = { table, maxBytes, isRunning: true, end };
      void end.then(() => (begun.isRunning = false));
      started = begun;
    },
    isStarted: () => started !== undefined,
    fits(now) {
      if (started === undefined || now.longest + 2 > started.maxBytes) return false;
      const { table } = started;
      if (groupRowsOf(table.bytes, table.rows) > maxGroupGrowth * groupRowsOf(now.bytes, now.rows)) return false;
      return now.columns === table.columns || typesOf(now) === typesOf(table);
    },
    async stop() {
      const stopped = started;
      started = undefined;
      if (stopped === undefined) return;
      // An interrupt has no effect before the statement has begun, so it is repeated.
      for (let { isRunning } = stopped; isRunning;) {
        connection.interrupt();
        isRunning = await Promise.race([stopped.end.then(() => false), pause(interruptEveryMs, true)]);
      }
    },
    share,
    async finish(told) {
      const telling = setInterval(() => told.reach(share()), tellEveryMs);
      const isCopied = await started?.end;
      clearInterval(telling);
      if (isCopied !== true) return undefined;
      const counted = await connection.runAndReadAll(
        `select count(*) from read_parquet(${literal(indexPath)}, hive_partitioning = false)`,
      );
      return Number(counted.getRows()[0]?.[0]);
    },
  };
}

function typesOf({ columns }: PlainTable): string {
  return columns.map((column) => `${identifier(column.name)}: ${literal(storedTypeOf(column))}`).join(', ');
}

function copySql(source: TextSource, indexPath: string, table: PlainTable, maxBytes: number): string {
  const chosen = table.columns.map(({ name }, place) => `${identifier(name)} as c${place}`).join(', ');
  const values = `read_json(${literal(source.path)}, format = 'newline_delimited', maximum_object_size = ${maxBytes},
    columns = {${typesOf(table)}})`;
  return `copy (select ${chosen} from ${values}) to ${literal(indexPath)} ${indexFormat(table.bytes, table.rows)}`;
}
