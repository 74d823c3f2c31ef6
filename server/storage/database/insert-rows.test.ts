import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { forEachDatabase } from '../../../tests/support/databases.ts';
import { executeForEach, insertRows } from './insert-rows.ts';
import { dialectOf } from './sql.ts';

const columns = { id: 'text', size: 'integer', note: 'text' } as const;

forEachDatabase('many rows are stored as they are, in one call', async (_t, open) => {
  const db = await open();
  const insert = insertRows('things', columns, 'on conflict (id) do update set size = excluded.size');
  const rows = Array.from({ length: 1_000 }, (_, index) => ({
    id: `“${index}” '; drop table things; -- \u{1f600}`,
    size: index === 7 ? Number.MAX_SAFE_INTEGER : 4_294_967_295 - index,
    note: index % 2 === 0 ? null : '',
  }));
  const stored = await db.write(async (tx) => {
    await sql`create table things (id text primary key, size bigint not null, note text)`.execute(tx);
    await insert(tx, rows);
    await insert(tx, [{ ...rows[3], id: rows[3]?.id ?? '', size: 3, note: 'not this' }]);
    await insert(tx, []);
    return (await sql<(typeof rows)[number]>`select id, size, note from things`.execute(tx)).rows;
  });
  const expected = new Map(rows.map((row, index) => [row.id, index === 3 ? { ...row, size: 3 } : row]));
  assert.equal(stored.length, rows.length);
  for (const row of stored) assert.deepEqual(row, expected.get(row.id));
});

forEachDatabase('a row that breaks a rule undoes its transaction', async (_t, open) => {
  const db = await open();
  const insert = insertRows('things', columns);
  await db.write(async (tx) => {
    await sql`create table things (id text primary key, size bigint not null, note text)`.execute(tx);
  });
  const row = { id: 'a', size: 1, note: null };
  await assert.rejects(db.write((tx) => insert(tx, [row, { ...row, id: 'b' }, row])));
  const { rows } = await sql`select * from things`.execute(db.scan);
  assert.deepEqual(rows, []);
});

forEachDatabase('a statement for each row gives what it returns for all', async (t, open) => {
  const db = await open();
  if (dialectOf(db.read) !== 'sqlite') return t.skip('SQLite alone runs a statement for each row');
  await db.write(async (tx) => {
    await sql`create table things (id text primary key, size bigint not null)`.execute(tx);
  });
  const add = 'insert into things (id, size) values (?, ?) on conflict (id) do nothing returning id, size';
  const returned = await db.write((tx) =>
    executeForEach(tx, add, [
      ['a', 1],
      ['b', 2],
      ['a', 3],
    ]),
  );
  assert.deepEqual(returned, [
    { id: 'a', size: 1 },
    { id: 'b', size: 2 },
  ]);
});
