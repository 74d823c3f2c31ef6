import { startThread, type RunningThread } from '../../processes/thread-calls.ts';
import type { SqliteResult } from './sqlite-connection.ts';
import type { SqliteMessage, SqliteReply, SqliteRequest } from './sqlite-messages.ts';

/** A connection in a worker thread: statements run one at a time in the order of the calls. */
export type ThreadedConnection = {
  run(sql: string, parameters: readonly unknown[]): Promise<SqliteResult>;
  /** Runs a statement within a transaction; fails if none is open. */
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

type Statement = SqliteRequest & { resolve(result: SqliteResult): void; reject(error: Error): void };
type SqliteThread = RunningThread<SqliteMessage, SqliteReply[]>;

/** Threads without a connection, for reuse: opening several databases in sequence starts no more than are needed at a time. */
const idle: SqliteThread[] = [];
const MOST_IDLE = 4;

function takeThread(): SqliteThread {
  for (let thread = idle.pop(); thread !== undefined; thread = idle.pop()) if (!thread.hasEnded) return thread;
  return startThread({ module: new URL('./sqlite-thread.ts', import.meta.url), name: 'sqlite' });
}

async function leaveThread(thread: SqliteThread): Promise<void> {
  if (thread.hasEnded) return;
  thread.hold(false);
  if (idle.length < MOST_IDLE) idle.push(thread);
  else await thread.end();
}

/**
 * Opens a connection in a thread; if the thread dies, every pending and later call fails with the cause. Statements called in one
 * turn of the event loop are sent as one message, and so are their results: waking a thread costs more than a statement.
 */
export function openThreadedConnection(options: { file: string; readonly: boolean }): ThreadedConnection {
  const thread = takeThread();
  // Code that uses a database may wait for something that does not keep the process alive itself.
  thread.hold(true);
  let outgoing: Statement[] = [];
  /** Why calls fail from now on. */
  let death: Error | undefined;
  let openingProblem: Error | undefined;
  const opened = thread.ask({ open: options }).catch((error: Error) => {
    openingProblem = error;
    death ??= error;
  });

  async function send(): Promise<void> {
    const statements = outgoing;
    outgoing = [];
    if (statements.length === 0) return;
    const requests = statements.map(({ sql, parameters, inTransaction }) => ({ sql, parameters, inTransaction }));
    try {
      const replies = await thread.ask(requests);
      for (const [at, { resolve, reject }] of statements.entries()) {
        const reply = replies[at];
        if (reply !== undefined && 'result' in reply) resolve(reply.result);
        else reject(openingProblem ?? new SqliteError(reply?.error.message ?? '', reply?.error.code ?? ''));
      }
    } catch (error) {
      death ??= error as Error;
      for (const { reject } of statements) reject(death);
    }
  }

  function run(sql: string, parameters: readonly unknown[], inTransaction: boolean): Promise<SqliteResult> {
    return new Promise((resolve, reject) => {
      if (death !== undefined) {
        reject(death);
        return;
      }
      // Runs after all promises of this turn, so that the message contains all their statements.
      if (outgoing.length === 0) process.nextTick(() => void send());
      outgoing.push({ sql, parameters, inTransaction, resolve, reject });
    });
  }

  async function close(): Promise<void> {
    await opened;
    const sent = send();
    death ??= new Error('The database is closed');
    try {
      await thread.ask('close');
      await sent;
      await leaveThread(thread);
    } catch {
      // The thread has ended or could not close its connection.
      await thread.end();
    }
  }

  let closing: Promise<void> | undefined;
  return {
    run: (sql, parameters) => run(sql, parameters, false),
    runInTransaction: (sql, parameters) => run(sql, parameters, true),
    close: () => (closing ??= close()),
  };
}
