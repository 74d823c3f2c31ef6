import BetterSqlite3 from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { rowsOf } from './insert-rows.ts';

export type SqliteResult = { rows: unknown[]; changes: number };

/** One synchronous connection with its prepared statements. */
export type SqliteConnection = {
  run(sql: string, parameters: readonly unknown[]): SqliteResult;
  /** Prepares a statement of fixed text for as long as the connection is open. */
  prepareRead<R>(sql: string): (parameters: readonly unknown[]) => R[];
  /** Whether a transaction is open. */
  readonly inTransaction: boolean;
  close(): void;
};

const maxStatements = 500;

/** Opens a connection with the settings that durability requires. */
export function openConnection(options: { file: string; readonly: boolean }): SqliteConnection {
  const database = new BetterSqlite3(options.file, { timeout: 10_000 });
  database.pragma('journal_mode = WAL');
  // FULL: an acknowledged commit survives power loss; NORMAL lost acknowledged rows when the power was cut.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('temp_store = MEMORY');
  database.pragma('cache_size = -32768');
  if (options.readonly) database.pragma('query_only = ON');
  database.function('unicode_lower', { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : null,
  );
  const statements = new Map<string, Statement>();

  function prepare(sql: string): Statement {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const oldest = statements.size >= maxStatements ? statements.keys().next().value : undefined;
    if (oldest !== undefined) statements.delete(oldest);
    statements.set(sql, statement);
    return statement;
  }

  return {
    run(sql, parameters) {
      const statement = prepare(sql);
      const rows = rowsOf(parameters);
      if (rows !== undefined) {
        if (statement.reader) return { rows: rows.flatMap((row) => statement.all(...row)), changes: 0 };
        for (const row of rows) statement.run(...row);
        return { rows: [], changes: rows.length };
      }
      if (statement.reader) return { rows: statement.all(...parameters), changes: 0 };
      return { rows: [], changes: statement.run(...parameters).changes };
    },
    prepareRead<R>(sql: string) {
      const statement = database.prepare<unknown[], R>(sql);
      return (parameters: readonly unknown[]) => statement.all(...parameters);
    },
    get inTransaction() {
      return database.inTransaction;
    },
    close() {
      database.close();
    },
  };
}
