import { Worker } from 'node:worker_threads';
import type { SqliteResult } from './sqlite-connection.ts';

export type SqliteRequest = { id: number; sql: string; parameters: readonly unknown[] };
export type SqliteReply =
  | { id: number; result: SqliteResult }
  | { id: number; error: { message: string; code: string } };

/** A connection in a worker thread: statements run one after the other in the order of the calls. */
export type ThreadedConnection = {
  run(sql: string, parameters: readonly unknown[]): Promise<SqliteResult>;
  close(): Promise<void>;
};

/** A failed SQLite statement, with SQLite's own code. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

type Waiter = { resolve(result: SqliteResult): void; reject(error: Error): void };

/** Starts the thread; when it dies, every open and later call fails with the cause. */
export function openThreadedConnection(options: { file: string; readonly: boolean }): ThreadedConnection {
  const worker = new Worker(new URL('./sqlite-thread.ts', import.meta.url), { workerData: options });
  const waiters = new Map<number, Waiter>();
  let nextId = 0;
  let death: Error | undefined;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  worker.on('message', (reply: SqliteReply) => {
    const waiter = waiters.get(reply.id);
    waiters.delete(reply.id);
    if ('result' in reply) waiter?.resolve(reply.result);
    else waiter?.reject(new SqliteError(reply.error.message, reply.error.code));
  });
  worker.on('error', (error: Error) => fail(error));
  worker.on('exit', () => fail(new Error('The database thread has ended')));

  function fail(error: Error): void {
    death ??= error;
    for (const waiter of waiters.values()) waiter.reject(death);
    waiters.clear();
  }

  return {
    run(sql, parameters) {
      return new Promise((resolve, reject) => {
        if (death !== undefined) {
          reject(death);
          return;
        }
        const id = nextId++;
        waiters.set(id, { resolve, reject });
        worker.postMessage({ id, sql, parameters } satisfies SqliteRequest);
      });
    },
    async close() {
      worker.postMessage('close');
      await exited;
    },
  };
}
