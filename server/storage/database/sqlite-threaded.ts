import { Worker } from 'node:worker_threads';
import { builtModule } from '../../kernel/built-modules.ts';
import type { SqliteResult } from './sqlite-connection.ts';
import type { SqliteMessage, SqliteReply, SqliteRequest } from './sqlite-messages.ts';

/** A connection in a worker thread: statements run one at a time in the order of the calls. */
export type ThreadedConnection = {
  run(sql: string, parameters: readonly unknown[]): Promise<SqliteResult>;
  /** Runs a statement within a transaction; fails when none is open. */
  runInTransaction(sql: string, parameters: readonly unknown[]): Promise<SqliteResult>;
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

/** Threads without a connection: what opens several databases, one after the other, starts no more than it needs at a time. */
const idle: Worker[] = [];
const MOST_IDLE = 4;

function startThread(): Worker {
  const thread = new Worker(builtModule(new URL('./sqlite-thread.ts', import.meta.url)), { name: 'sqlite' });
  // Whoever has a connection in it listens, too: an error of an idle thread is nobody's, and its end follows.
  thread.on('error', () => {});
  thread.once('exit', () => {
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
  });
  return thread;
}

/** Idle threads keep no process. */
async function setIdle(thread: Worker): Promise<void> {
  if (idle.length >= MOST_IDLE) {
    await thread.terminate();
    return;
  }
  thread.unref();
  idle.push(thread);
}

/**
 * Opens a connection in a thread; when that dies, every pending and later call fails with the cause. Statements called in one turn of
 * the event loop travel as one message, and so do their results: waking a thread costs more than a statement.
 */
export function openThreadedConnection(options: { file: string; readonly: boolean }): ThreadedConnection {
  const worker = idle.pop() ?? startThread();
  worker.ref();
  worker.postMessage({ open: options } satisfies SqliteMessage);
  const waiters = new Map<number, Waiter>();
  let outgoing: SqliteRequest[] = [];
  let nextId = 0;
  let death: Error | undefined;
  const closed = Promise.withResolvers<'closed' | 'ended'>();
  const onError = (error: Error): void => fail(error);
  const onExit = (): void => {
    fail(new Error('The database thread has ended'));
    closed.resolve('ended');
  };

  const onMessage = (replies: readonly SqliteReply[] | 'closed'): void => {
    if (replies === 'closed') {
      closed.resolve('closed');
      return;
    }
    for (const reply of replies) {
      const waiter = waiters.get(reply.id);
      waiters.delete(reply.id);
      if ('result' in reply) waiter?.resolve(reply.result);
      else waiter?.reject(new SqliteError(reply.error.message, reply.error.code));
    }
  };
  worker.on('message', onMessage).on('error', onError).on('exit', onExit);

  function fail(error: Error): void {
    death ??= error;
    for (const waiter of waiters.values()) waiter.reject(death);
    waiters.clear();
  }

  function send(): void {
    const requests = outgoing;
    outgoing = [];
    worker.postMessage(requests satisfies SqliteMessage);
  }

  function run(sql: string, parameters: readonly unknown[], inTransaction: boolean): Promise<SqliteResult> {
    return new Promise((resolve, reject) => {
      if (death !== undefined) {
        reject(death);
        return;
      }
      const id = nextId++;
      waiters.set(id, { resolve, reject });
      // Runs after all promises of this turn, so that the message contains all their statements.
      if (outgoing.length === 0) process.nextTick(send);
      outgoing.push({ id, sql, parameters, inTransaction });
    });
  }

  async function close(): Promise<void> {
    if (outgoing.length > 0) send();
    worker.postMessage('close' satisfies SqliteMessage);
    if ((await closed.promise) === 'ended') return;
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    fail(new Error('The database is closed'));
    await setIdle(worker);
  }

  let closing: Promise<void> | undefined;
  return {
    run: (sql, parameters) => run(sql, parameters, false),
    runInTransaction: (sql, parameters) => run(sql, parameters, true),
    close: () => (closing ??= close()),
  };
}
