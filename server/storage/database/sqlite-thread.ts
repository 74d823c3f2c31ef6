import { answerRequests } from '../../processes/answer-requests.ts';
import { openConnection, type SqliteConnection } from './sqlite-connection.ts';
import type { SqliteMessage, SqliteReply, SqliteRequest } from './sqlite-messages.ts';

/**
 * One SQLite connection at a time, in a thread of its own, so that an fsync or a long scan never stalls the event loop.
 * Started by `sqlite-threaded.ts`, which sends the messages.
 */
let connection: SqliteConnection | undefined;

answerRequests((message: SqliteMessage): SqliteReply[] => {
  if (message === 'close') {
    connection?.close();
    connection = undefined;
  } else if ('open' in message) connection = openConnection(message.open);
  else return message.map(answer);
  return [];
});

function answer({ sql, parameters, inTransaction }: SqliteRequest): SqliteReply {
  if (connection === undefined) return { error: { message: 'The database is closed', code: 'SQLITE_MISUSE' } };
  if (inTransaction && !connection.inTransaction)
    return { error: { message: 'The transaction has ended already', code: 'SQLITE_ABORT' } };
  try {
    return { result: connection.run(sql, parameters) };
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    return { error: { message, code: code ?? 'SQLITE_ERROR' } };
  }
}
