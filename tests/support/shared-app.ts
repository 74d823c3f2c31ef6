import { after, type TestContext } from 'node:test';
import type { DatabaseOptions } from '../../server/storage/database/database.ts';
import { createTestDatabase, databaseOf, type DatabaseKind } from './databases.ts';
import { isLongRun } from './long-tests.ts';
import { postgres } from './postgres.ts';
import { startApp, type RunningApp, type StartOptions } from './server.ts';
import { testWith, type Tool } from './tools.ts';

/** One whole service for many tests of a file: each test creates its own, distinctly named data, and counts only that. */
export type SharedApp = {
  /** The service, started by the first test that needs it; default: over the database of the file. */
  open(database?: DatabaseKind): Promise<RunningApp>;
  /** Registers a test over the file's database; `npm run test:long` runs it over both. */
  forAnyDatabase(
    name: string,
    run: (t: TestContext, app: RunningApp, database: DatabaseOptions) => void | Promise<void>,
    tools?: readonly Tool[],
  ): void;
};

/**
 * To be called at the top level of a test file, with its `import.meta.url`, whose file name chooses the database. The service stops
 * after the tests of the file.
 */
export function sharedApp(
  fileUrl: string,
  options: Omit<Parameters<typeof startApp>[1] & StartOptions, 'database' | 'dataDir'> = {},
): SharedApp {
  const ends: (() => Promise<void>)[] = [];
  const started = new Map<DatabaseKind, Promise<{ app: RunningApp; database: DatabaseOptions }>>();
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  const start = async (kind: DatabaseKind) => {
    const { options: database, remove } = await createTestDatabase(kind);
    ends.push(remove);
    const app = await startApp({ after: (end) => void ends.push(end) }, { ...options, database });
    return { app, database };
  };
  const opened = (kind: DatabaseKind) => {
    const known = started.get(kind) ?? start(kind);
    started.set(kind, known);
    return known;
  };
  const own = databaseOf(new URL(fileUrl).pathname.replace(/^.*\/(?=(server|tests|scripts|bench|web|examples)\/)/, ''));
  return {
    open: async (kind = own) => (await opened(kind)).app,
    forAnyDatabase(name, run, tools = []) {
      for (const kind of isLongRun ? (['SQLite', 'PostgreSQL'] as const) : [own])
        testWith([...(kind === 'PostgreSQL' ? [postgres] : []), ...tools], `${name} [${kind}]`, async (t) => {
          const { app, database } = await opened(kind);
          await run(t, app, database);
        });
    },
  };
}
