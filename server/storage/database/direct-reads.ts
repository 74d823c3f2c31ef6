import type { Db } from './database.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

const connections = new WeakMap<Db, SqliteConnection>();

/** Notes that reads of `db` may run on this connection at once, on the calling thread. */
export function allowDirectReads(db: Db, connection: SqliteConnection): void {
  connections.set(db, connection);
}

/** The connection on which statements of `db` may run at once; none for transactions, other threads and PostgreSQL. */
export function findDirectConnection(db: Db): SqliteConnection | undefined {
  return connections.get(db);
}
