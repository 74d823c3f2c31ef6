import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './schema.ts';

/** Argument of a query function: a connection or an open transaction. */
export type Db = Kysely<Tables>;

/** An open write transaction. */
export type Tx = Transaction<Tables>;

export type Dialect = 'sqlite' | 'postgres';

/** The metadata store: SQLite in the data directory, or PostgreSQL. */
export type Database = {
  readonly dialect: Dialect;
  /** Short reads (by key, one page); with SQLite they run on the calling thread in microseconds. */
  readonly read: Db;
  /** Reads that may take long (searches, whole lists); with SQLite they run in a thread of their own. */
  readonly scan: Db;
  /**
   * Runs `work` as one transaction; when the promise resolves, the transaction survives power loss. SQLite has one writer: never
   * call `write` inside `write`. PostgreSQL runs transactions concurrently (read committed): lock the rows that a decision
   * depends on, and lock runs before what belongs to them. PostgreSQL may abort `work` to resolve a deadlock; it is then run again,
   * so it must have no effects outside of the transaction that a second run would spoil.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  close(): Promise<void>;
};

export type WriteOptions = {
  /**
   * When a commit reaches the disk: before it is acknowledged, or with the next commit that does so (SQLite only; such a commit
   * survives the death of the process, but power loss may undo it).
   */
  sync?: 'now' | 'later';
};

export type DatabaseOptions =
  | { file: string }
  | {
      url: string;
      poolSize?: number;
      /** PostgreSQL ends a transaction that is idle for this long: its process hangs while others wait for its locks. */
      idleTransactionMs?: number;
    };

/** A read-only database: creates or changes no table, and does not disturb other processes. */
export type ReadOnlyDatabase = Pick<Database, 'dialect' | 'read' | 'scan' | 'close'> & {
  /** Folder of the copy that is read when the database's folder is read-only. */
  copiedTo?: string;
};
