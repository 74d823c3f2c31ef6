import { join } from 'node:path';
import { openDatabaseReadOnly, type ReadOnlyDatabase } from '../../server/storage/database/read-only-database.ts';
import type { DatabaseOptions } from '../../server/storage/database/database.ts';
import { createPostgresDatabase, postgres } from '../support/postgres.ts';
import type { Ending } from '../support/server.ts';

export const databaseKinds = ['sqlite', 'postgres'] as const;

/**
 * The metadata database of a service under test: SQLite in its data folder, which shares all faults of that folder, or
 * a PostgreSQL that keeps working while the service and its disk fail.
 */
export type DatabaseKind = (typeof databaseKinds)[number];

/** The database of one service, as settings. */
export type FaultDatabase = {
  environment: Readonly<Record<string, string>>;
  /** A database for a service over this data folder. */
  optionsFor(dataDir: string): DatabaseOptions;
  /**
   * A copy with the same contents; nobody may be connected to this one. For SQLite, copying the data folder is enough.
   */
  copy(): Promise<FaultDatabase>;
  remove(): Promise<void>;
};

const inDataFolder: FaultDatabase = {
  environment: {},
  optionsFor: (dataDir) => ({ file: join(dataDir, 'tilth.db') }),
  copy: () => Promise.resolve(inDataFolder),
  remove: () => Promise.resolve(),
};

/** An empty database, removed with `t`. */
export async function createFaultDatabase(t: Ending, kind: DatabaseKind): Promise<FaultDatabase> {
  if (kind === 'sqlite') return inDataFolder;
  const database = await createOnPostgres();
  t.after(() => database.remove());
  return database;
}

async function createOnPostgres(template?: string): Promise<FaultDatabase> {
  const { url, drop } = await createPostgresDatabase(template);
  return {
    environment: { TILTH_DATABASE_URL: url },
    optionsFor: () => ({ url }),
    copy: () => createOnPostgres(url),
    remove: drop,
  };
}

/** What this machine lacks for a database, and how to install it. */
export function missingForDatabase(kind: DatabaseKind): string | undefined {
  return kind === 'postgres' && postgres.path === undefined ? `${postgres.name}: ${postgres.howToGet}` : undefined;
}

/** Opens the database of a service, which may be running. */
export async function lookInto<T>(options: DatabaseOptions, work: (db: ReadOnlyDatabase) => Promise<T>): Promise<T> {
  const db = await openDatabaseReadOnly(options);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
