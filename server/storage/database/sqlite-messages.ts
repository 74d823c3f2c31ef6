import type { SqliteResult } from './sqlite-connection.ts';

export type SqliteRequest = {
  id: number;
  sql: string;
  parameters: readonly unknown[];
  /** Refused when no transaction is open: SQLite may end one itself, for example when the disk is full. */
  inTransaction: boolean;
};
export type SqliteReply =
  | { id: number; result: SqliteResult }
  | { id: number; error: { message: string; code: string } };

/** What the thread gets. It answers requests with an array of replies, and `close` with `closed`. */
export type SqliteMessage = { open: { file: string; readonly: boolean } } | readonly SqliteRequest[] | 'close';
