import { parentPort } from 'node:worker_threads';
import { openConnection, type SqliteConnection } from './sqlite-connection.ts';
import type { SqliteMessage, SqliteReply, SqliteRequest } from './sqlite-messages.ts';

/**
 * One SQLite connection at a time, in a thread of its own, so that an fsync or a long scan never stalls the event loop.
 * Started by `sqlite-threaded.ts`, which sends the messages.
 */
const port = parentPort;
if (port === null) throw new Error('This module runs in a worker thread');
let connection: SqliteConnection | undefined;

port.on('message', (message: SqliteMessage) => {
  if (message === 'close') {
    connection?.close();
    connection = undefined;
    port.postMessage('closed');
  } else if ('open' in message) connection = openConnection(message.open);
  else port.postMessage(message.map(answer));
});

function answer({ id, sql, parameters, inTransaction }: SqliteRequest): SqliteReply {
  if (connection === undefined) return { id, error: { message: 'The database is closed', code: 'SQLITE_MISUSE' } };
  if (inTransaction && !connection.inTransaction)
    return { id, error: { message: 'The transaction has ended already', code: 'SQLITE_ABORT' } };
  try {
    return { id, result: connection.run(sql, parameters) };
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    return { id, error: { message, code: code ?? 'SQLITE_ERROR' } };
  }
}
