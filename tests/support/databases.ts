import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import { openDatabase, type Database, type DatabaseOptions } from '../../server/storage/database/database.ts';
import { isLongRun } from './long-tests.ts';
import { memoryFolder } from './memory-folder.ts';
import { createPostgresDatabase, postgres } from './postgres.ts';
import { templates } from './template-databases.ts';
import { testWith, type Tool } from './tools.ts';

/** These tests do not cover power loss. */
const smallFiles = memoryFolder();

export type DatabaseKind = 'SQLite' | 'PostgreSQL';

/**
 * The body of a test: `open` opens the test's own database (again on a second call), `options` locate it for a server
 * that opens it itself. What is still open at the end is closed after the hooks of the test, and the database is
 * removed.
 */
export type DatabaseTest = (
  t: TestContext,
  open: () => Promise<Database>,
  options: DatabaseOptions,
) => void | Promise<void>;

/** Registers one test per database: the same body over SQLite and over PostgreSQL. Both also need `tools`. */
export function forEachDatabase(name: string, run: DatabaseTest, tools: readonly Tool[] = []): void {
  onSqlite(name, run, tools);
  onPostgres(name, run, tools);
}

/**
 * Registers a test over only one of the databases, chosen by the test's name: with many tests that do not depend on the database, each
 * gets about half. `npm run test:long` runs it over both.
 */
export function forAnyDatabase(name: string, run: DatabaseTest, tools: readonly Tool[] = []): void {
  if (isLongRun) forEachDatabase(name, run, tools);
  else if (databaseOf(name) === 'SQLite') onSqlite(name, run, tools);
  else onPostgres(name, run, tools);
}

/** Like `forEachDatabase`, only in `npm run test:long`. */
export function longForEachDatabase(...given: Parameters<typeof forEachDatabase>): void {
  if (isLongRun) forEachDatabase(...given);
}

/** The database for a test's name; each gets half of many names. */
export function databaseOf(name: string): DatabaseKind {
  return crc32(name) % 2 === 0 || postgres.path === undefined ? 'SQLite' : 'PostgreSQL';
}

/** Opens a new SQLite file that already has its tables. */
export async function openNewSqlite(file: string): Promise<Database> {
  if (templates.sqliteFile !== undefined) await copyFile(templates.sqliteFile, file);
  return openDatabase({ file });
}

function onSqlite(name: string, run: DatabaseTest, tools: readonly Tool[]): void {
  testWith(tools, `${name} [SQLite]`, (t) => runOn(t, run, 'SQLite'));
}

function onPostgres(name: string, run: DatabaseTest, tools: readonly Tool[]): void {
  testWith([postgres, ...tools], `${name} [PostgreSQL]`, (t) => runOn(t, run, 'PostgreSQL'));
}

/** A separate database with the schema of the service. */
export async function createTestDatabase(
  kind: DatabaseKind,
): Promise<{ options: DatabaseOptions; remove: () => Promise<void> }> {
  if (kind === 'PostgreSQL') {
    const { url, drop } = await createPostgresDatabase(templates.postgresUrl);
    return { options: { url }, remove: drop };
  }
  const directory = await mkdtemp(join(smallFiles, 'tilth-test-'));
  const file = join(directory, 'tilth.db');
  if (templates.sqliteFile !== undefined) await copyFile(templates.sqliteFile, file);
  return { options: { file }, remove: () => rm(directory, { recursive: true }) };
}

async function runOn(t: TestContext, run: DatabaseTest, kind: DatabaseKind): Promise<void> {
  const { options, remove } = await createTestDatabase(kind);
  const opened: Database[] = [];
  const open = async () => {
    const database = await openDatabase(options);
    opened.push(database);
    return database;
  };
  try {
    await run(t, open, options);
  } finally {
    // Hooks run in the order of registration: this one now runs after those of the test, which may still use the
    // database.
    t.after(async () => {
      for (const database of opened) await database.close();
      await remove();
    });
  }
}
