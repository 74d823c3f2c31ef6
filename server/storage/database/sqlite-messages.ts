import type { SqliteResult } from './sqlite-connection.ts';

export type SqliteRequest = {
  id: number;
  sql: string;
  parameters: readonly unknown[];
  /** Refused when no transaction is open (any more): SQLite ends one by itself when the disk is full, for one. */
  inTransaction: boolean;
};
export type SqliteReply =
  | { id: number; result: SqliteResult }
  | { id: number; error: { message: string; code: string } };
