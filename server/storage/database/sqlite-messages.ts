import type { SqliteResult } from './sqlite-connection.ts';

export type SqliteRequest = {
  sql: string;
  parameters: readonly unknown[];
  /** Refuses the statement if no transaction is open: SQLite may end one itself, for example when the disk is full. */
  inTransaction: boolean;
};
export type SqliteReply = { result: SqliteResult } | { error: { message: string; code: string } };

/** A message to the thread. It returns one reply per statement, and none for the other messages. */
export type SqliteMessage = { open: { file: string; readonly: boolean } } | readonly SqliteRequest[] | 'close';
