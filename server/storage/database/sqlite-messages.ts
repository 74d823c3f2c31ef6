import type { SqliteResult } from './sqlite-connection.ts';

export type SqliteRequest = {
  sql: string;
  parameters: readonly unknown[];
  /** Refused when no transaction is open: SQLite may end one itself, for example when the disk is full. */
  inTransaction: boolean;
};
export type SqliteReply = { result: SqliteResult } | { error: { message: string; code: string } };

/** What the thread is asked. It answers statements with a reply for each, and the others with none. */
export type SqliteMessage = { open: { file: string; readonly: boolean } } | readonly SqliteRequest[] | 'close';
