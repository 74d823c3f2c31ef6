import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import type { Database, ReadOnlyDatabase } from './database-types.ts';
import { gatherReads } from './gathered-reads.ts';
import { migrate } from './migrate.ts';
import type { Tables } from './schema.ts';
import { openConnection, type SqliteResult } from './sqlite-connection.ts';
import { StablePlanCompiler } from './sqlite-query-compiler.ts';
import { openThreadedConnection } from './sqlite-threaded.ts';
import { createSqliteTransactions } from './sqlite-transactions.ts';

/** The connection that Kysely uses, in either form. */
type Connection = {
  run(sql: string, parameters: readonly unknown[]): SqliteResult | Promise<SqliteResult>;
};

/**
 * SQLite as three connections to one WAL file: short reads on the calling thread, long reads and writes in one thread each.
 * Writers queue in this process and never meet SQLITE_BUSY.
 */
export async function openSqlite(file: string): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true });
  const writer = openThreadedConnection({ file, readonly: false });
  const write = kyselyOver(writer);
  try {
    await migrate(write, 'sqlite');
  } catch (error) {
    await writer.close();
    throw error;
  }
  const reader = openConnection({ file, readonly: true });
  const scanner = openThreadedConnection({ file, readonly: true });
  const read = kyselyOver(reader);
  gatherReads(read, reader);
  return {
    dialect: 'sqlite',
    read,
    scan: kyselyOver(scanner),
    write: createSqliteTransactions(write, dialectOver(writer), connectionOver(writer.runInTransaction)),
    async close() {
      reader.close();
      await scanner.close();
      // Closed last, so that closing checkpoints the WAL and removes it.
      await writer.close();
    },
  };
}

/** Opens the two reading connections without the writer; the file must exist. */
export function openSqliteReadOnly(file: string): ReadOnlyDatabase {
  const reader = openConnection({ file, readonly: true });
  const scanner = openThreadedConnection({ file, readonly: true });
  const read = kyselyOver(reader);
  gatherReads(read, reader);
  return {
    dialect: 'sqlite',
    read,
    scan: kyselyOver(scanner),
    async close() {
      await scanner.close();
      reader.close();
    },
  };
}

function kyselyOver(connection: Connection): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: dialectOver(connection) });
}

function dialectOver(connection: Connection): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driverOver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new StablePlanCompiler(),
  };
}

function connectionOver(run: Connection['run']): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await run(query.sql, query.parameters);
      return { rows: rows as R[], numAffectedRows: BigInt(changes) };
    },
    // oxlint-disable-next-line require-yield
    async *streamQuery() {
      throw new Error('Read page by page instead of streaming');
    },
  };
}

function driverOver(connection: Connection): Driver {
  const shared = connectionOver((sql, parameters) => connection.run(sql, parameters));
  const turns = createTurns();
  const execute = async (sql: string): Promise<void> => {
    await shared.executeQuery(CompiledQuery.raw(sql));
  };
  return {
    async init() {},
    async acquireConnection() {
      await turns.enter();
      return shared;
    },
    async beginTransaction() {
      await execute('begin immediate');
    },
    async commitTransaction() {
      await execute('commit');
    },
    async rollbackTransaction() {
      await execute('rollback');
    },
    async releaseConnection() {
      turns.leave();
    },
    // Kysely destroys only connections that it has used; the owner closes this one itself.
    async destroy() {},
  };
}

/** A FIFO lock. */
function createTurns(): { enter(): Promise<void>; leave(): void } {
  const queue: (() => void)[] = [];
  let taken = false;
  return {
    enter() {
      if (!taken) {
        taken = true;
        return Promise.resolve();
      }
      return new Promise((resolve) => queue.push(resolve));
    },
    leave() {
      const next = queue.shift();
      if (next === undefined) taken = false;
      else next();
    },
  };
}
