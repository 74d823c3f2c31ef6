// A database of PostgreSQL to collect from.
import type { TestContext } from 'node:test';
import pg from 'pg';
import { createPostgresDatabase } from './postgres.ts';

type Source = {
  url: string;
  config: { host: string; port: number; database: string; user: string; password: string };
  sql(text: string): Promise<void>;
};

/** A new database, and the configuration of a connector that reads it. */
export async function startSource(t: TestContext): Promise<Source> {
  const { url, drop } = await createPostgresDatabase();
  const { hostname, port, pathname, username, password } = new URL(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.after(async () => {
    await client.end();
    await drop();
  });
  return {
    url,
    config: {
      host: hostname,
      port: Number(port),
      database: decodeURIComponent(pathname.slice(1)),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
    },
    sql: async (text) => void (await client.query(text)),
  };
}
