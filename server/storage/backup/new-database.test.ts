import assert from 'node:assert/strict';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { createPostgresDatabase, postgres } from '../../../tests/support/postgres.ts';
import { testWith } from '../../../tests/support/tools.ts';
import { openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openPostgresReadOnly } from '../database/postgres/postgres.ts';
import { isNewDatabase } from './new-database.ts';

testWith([postgres], 'a database is new until it has rows of the service or tables of others', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  const reader = openPostgresReadOnly(url);
  t.after(async () => {
    await reader.close();
    await drop();
  });
  const isNew = (): Promise<boolean> => isNewDatabase(reader.read);
  assert.equal(await isNew(), true, 'without tables');

  // What a process leaves that is killed during its start.
  const killed = new Kysely<object>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) });
  const failing = async (): Promise<never> => {
    throw new Error('killed');
  };
  await assert.rejects(migrate(killed, 'postgres', { '0001-blobs': failing }), /killed/);
  assert.equal(await isNew(), true, 'with an empty list of migrations');
  await sql`create table notes (text text)`.execute(killed);
  assert.equal(await isNew(), false, 'with a table of another program');
  await sql`drop table notes`.execute(killed);
  await killed.destroy();

  const db = await openDatabase({ url });
  t.after(() => db.close());
  assert.equal(await isNew(), true, 'with empty tables');
  const insert = sql`insert into kysely_migration (name, timestamp) values ('9001-notes-expand', '2099-01-01')`;
  await insert.execute(db.read);
  assert.equal(await isNew(), false, 'of a newer release');
  await sql`delete from kysely_migration where name = '9001-notes-expand'`.execute(db.read);
  await db.write((tx) =>
    sql`insert into data_folders (place, first_used_at, folder_no) values ('here', '2026-01-01', 1)`.execute(tx),
  );
  assert.equal(await isNew(), false, 'with a row');
});
