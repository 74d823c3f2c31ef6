import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './sqlite-connection.ts';
import type { SqliteReply, SqliteRequest } from './sqlite-messages.ts';

/**
 * One SQLite connection in a thread of its own, so that an fsync or a long scan never stalls the event loop.
 * Started by `sqlite-threaded.ts`, which sends the messages.
 */
const port = parentPort;
if (port === null) throw new Error('This module runs in a worker thread');
const connection = openConnection(workerData as { file: string; readonly: boolean });

port.on('message', (requests: readonly SqliteRequest[] | 'close') => {
  if (requests === 'close') {
    connection.close();
    port.close();
    return;
  }
  port.postMessage(requests.map(answer));
});

function answer({ id, sql, parameters, inTransaction }: SqliteRequest): SqliteReply {
  if (inTransaction && !connection.inTransaction)
    return { id, error: { message: 'The transaction has ended already', code: 'SQLITE_ABORT' } };
  try {
    return { id, result: connection.run(sql, parameters) };
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    return { id, error: { message, code: code ?? 'SQLITE_ERROR' } };
  }
}
