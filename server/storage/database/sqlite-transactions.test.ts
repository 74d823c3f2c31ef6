import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { openDatabase, type Database, type Tx } from './database.ts';
import { together } from './together.ts';

async function open(t: TestContext): Promise<Database> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-database-'));
  t.after(() => rm(directory, { recursive: true }));
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  t.after(() => db.close());
  return db;
}

const insert = (tx: Tx, id: string, description = '') =>
  tx
    .insertInto('tags')
    .values({ id, name: id, name_key: id, color: '#123456', description, created_at: '2026-01-31T08:00:00.000Z' })
    .execute();

async function listTags(db: Database): Promise<string[]> {
  return (await db.read.selectFrom('tags').select('id').orderBy('id').execute()).map((row) => row.id);
}

test('statements that are under way together run in their order', async (t) => {
  const db = await open(t);
  const [, name] = await db.write((tx) =>
    together([
      insert(tx, 'a'),
      tx.selectFrom('tags').select('name').where('id', '=', 'a').executeTakeFirstOrThrow(),
      tx.updateTable('tags').set({ name: 'b' }).where('id', '=', 'a').execute(),
    ]),
  );
  assert.deepEqual(name, { name: 'a' });
  assert.deepEqual((await db.read.selectFrom('tags').select('name').execute()).at(0), { name: 'b' });
});

test('when one of several statements fails, nothing of the others stays', async (t) => {
  const db = await open(t);
  await assert.rejects(
    db.write((tx) => together([insert(tx, 'a'), insert(tx, 'a'), insert(tx, 'b')])),
    /UNIQUE constraint/,
  );
  assert.deepEqual(await listTags(db), []);
});

test('work that goes on after its transaction reaches no other one', async (t) => {
  const db = await open(t);
  const { promise: never, resolve: goOn } = Promise.withResolvers<void>();
  let straggler: Promise<unknown> | undefined;
  const failed = db.write(async (tx) => {
    straggler = never.then(() => insert(tx, 'late'));
    straggler.catch(() => {});
    throw new Error('no');
  });
  await assert.rejects(failed, /no/);
  await db.write(async (tx) => {
    goOn();
    await assert.rejects(Promise.resolve(straggler), /has ended already/);
    await insert(tx, 'a');
  });
  assert.deepEqual(await listTags(db), ['a']);
});

test('when a full disk ends the transaction, statements behind the one that failed do nothing', async (t) => {
  const db = await open(t);
  const [{ page_count: pages } = { page_count: 0 }] = (
    await sql<{ page_count: number }>`pragma page_count`.execute(db.read)
  ).rows;
  await db.write((tx) => sql`pragma max_page_count = ${sql.lit(pages + 8)}`.execute(tx));
  await assert.rejects(
    db.write((tx) => together([insert(tx, 'large', 'x'.repeat(1_000_000)), insert(tx, 'behind')])),
    /database or disk is full/,
  );
  assert.deepEqual(await listTags(db), []);
  await db.write((tx) => insert(tx, 'a'));
  assert.deepEqual(await listTags(db), ['a']);
});

test('a transaction may leave its sync to the next one, which syncs again', async (t) => {
  const db = await open(t);
  const modeOf = (tx: Tx) => sql<{ synchronous: number }>`pragma synchronous`.execute(tx);
  const [normal, full] = [1, 2];
  const inside = await db.write((tx) => modeOf(tx), { sync: 'later' });
  assert.equal(inside.rows[0]?.synchronous, normal);
  await assert.rejects(
    db.write(() => Promise.reject(new Error('no')), { sync: 'later' }),
    /no/,
  );
  const after = await db.write((tx) => modeOf(tx));
  assert.equal(after.rows[0]?.synchronous, full);
});
