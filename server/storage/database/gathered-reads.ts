import type { Db } from './database-types.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Batches short reads on the calling thread: all reads requested in one turn of the event loop run at its end, in one read
 * transaction. A single read spends more than half of its time on taking and releasing a file lock, and results that arrive
 * together wake their reader once. Reads see every commit that was acknowledged before.
 */
export type GatheredReads = {
  /** Prepares a statement of fixed text for as long as the connection is open. */
  prepare<R>(sql: string): (parameters: readonly unknown[]) => Promise<R[]>;
};

const gathered = new WeakMap<Db, GatheredReads>();

/** Runs prepared statements of `db` on this connection; no transaction may stay open on it across turns. */
export function gatherReads(db: Db, connection: SqliteConnection): void {
  gathered.set(db, createGatheredReads(connection));
}

/** The gathered reads of `db`; undefined for transactions, connections of other threads and PostgreSQL. */
export function findGatheredReads(db: Db): GatheredReads | undefined {
  return gathered.get(db);
}

function createGatheredReads(connection: SqliteConnection): GatheredReads {
  type Read = { run(): void; reject(error: Error): void };
  let waiting: Read[] = [];

  function runAll(): void {
    const reads = waiting;
    waiting = [];
    const together = reads.length > 1;
    try {
      if (together) connection.run('begin', []);
      try {
        for (const read of reads) read.run();
      } finally {
        if (together) connection.run('commit', []);
      }
    } catch (error) {
      // Reads that already have their rows are resolved; rejecting them has no effect.
      for (const { reject } of reads) reject(error as Error);
    }
  }

  return {
    prepare<R>(sql: string) {
      let read: ((parameters: readonly unknown[]) => R[]) | undefined;
      return (parameters: readonly unknown[]) =>
        new Promise<R[]>((resolve, reject: (error: Error) => void) => {
          const run = (): void => {
            try {
              read ??= connection.prepareRead<R>(sql);
              resolve(read(parameters));
            } catch (error) {
              reject(error as Error);
            }
          };
          if (waiting.push({ run, reject }) === 1) setImmediate(runAll);
        });
    },
  };
}
