import type { Db } from './database-types.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Short reads on the calling thread that run together: all that are asked for in one turn of the event loop, at its end, in
 * one read transaction. A read alone takes and gives back a file lock, more than half of its time; and answers that are
 * ready one after the other wake their reader once instead of each time. They see every commit that was answered before.
 */
export type GatheredReads = {
  /** A statement of fixed text, prepared for as long as the connection is open. */
  prepare<R>(sql: string): (parameters: readonly unknown[]) => Promise<R[]>;
};

const gathered = new WeakMap<Db, GatheredReads>();

/** Lets prepared statements of `db` run on this connection, which nobody may hold a transaction open on across turns. */
export function gatherReads(db: Db, connection: SqliteConnection): void {
  gathered.set(db, createGatheredReads(connection));
}

/** Where statements of `db` run gathered; undefined for transactions, connections of other threads and PostgreSQL. */
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
      // Those that have their rows by now keep them.
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
