import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './schema.ts';

/** What a query function takes: a connection or an open transaction. */
export type Db = Kysely<Tables>;

/** An open write transaction. */
export type Tx = Transaction<Tables>;

export type Dialect = 'sqlite' | 'postgres';

/** The metadata store: SQLite in the data directory, or PostgreSQL. */
export type Database = {
  readonly dialect: Dialect;
  /** Short reads (by key, one page); embedded they run on the calling thread in microseconds. */
  readonly read: Db;
  /** Reads that may take long (searches, whole lists); embedded they run in a thread of their own. */
  readonly scan: Db;
  /**
   * Runs `work` as one transaction; when the promise resolves the transaction survives power loss. Embedded there is one
   * writer: never call `write` inside `write`. PostgreSQL runs them side by side (read committed): lock what you decide on.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  close(): Promise<void>;
};

export type WriteOptions = {
  /**
   * When a commit reaches the disk: before it is answered, or with the next one that does (embedded; it is then as safe from
   * the death of the process, but a loss of power may undo it).
   */
  sync?: 'now' | 'later';
};

export type DatabaseOptions =
  | { file: string }
  | {
      url: string;
      poolSize?: number;
      /** PostgreSQL ends a transaction in which nobody has said anything for so long: its process sleeps, and others wait for its locks. */
      idleTransactionMs?: number;
    };

/** A database that is only read: no table is created or changed, and other processes are not disturbed. */
export type ReadOnlyDatabase = Pick<Database, 'dialect' | 'read' | 'scan' | 'close'> & {
  /** Folder of the copy that is read if the folder of the database is read-only. */
  copiedTo?: string;
};
