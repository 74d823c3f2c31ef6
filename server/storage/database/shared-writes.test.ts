import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openDatabase, type Database, type Tx } from './database.ts';
import { createSharedWrites } from './shared-writes.ts';

const insert = (tx: Tx, id: string) =>
  tx
    .insertInto('tags')
    .values({ id, name: id, name_key: id, color: '#123456', description: '', created_at: '2026-01-31T08:00:00.000Z' })
    .execute();

/** Opens shared writes to a database, and counts the committed transactions. */
async function open(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-shared-'));
  t.after(() => rm(directory, { recursive: true }));
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  t.after(() => db.close());
  const count = { committed: 0 };
  const write: Database['write'] = async (work) => {
    const result = await db.write(work);
    count.committed += 1;
    return result;
  };
  const listTags = async () => (await db.read.selectFrom('tags').select('id').orderBy('id').execute()).map((r) => r.id);
  return { db, write, count, listTags };
}

test('works that come together are one transaction, and each caller gets what its own gave', async (t) => {
  const { write, count, listTags } = await open(t);
  const shared = createSharedWrites({ dialect: 'sqlite', write });
  const ids = Array.from({ length: 20 }, (_, at) => `tag-${10 + at}`);
  const given = await Promise.all(
    ids.map((id) =>
      shared(async (tx) => {
        await insert(tx, id);
        return (await tx.selectFrom('tags').select('name').where('id', '=', id).executeTakeFirstOrThrow()).name;
      }),
    ),
  );
  assert.deepEqual(given, ids);
  assert.deepEqual(await listTags(), ids);
  assert.equal(count.committed, 1);
});

test('a work that fails takes nothing of the others with it and leaves nothing itself', async (t) => {
  const { write, listTags } = await open(t);
  const shared = createSharedWrites({ dialect: 'sqlite', write });
  const outcomes = await Promise.allSettled(
    ['a', 'b', 'c'].map((id) =>
      shared(async (tx) => {
        await insert(tx, id);
        if (id === 'b') throw new Error('no b');
      }),
    ),
  );
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error).message : 'stored')),
    ['stored', 'no b', 'stored'],
  );
  assert.deepEqual(await listTags(), ['a', 'c']);
});

test('over PostgreSQL each has a transaction of its own', async (t) => {
  const { write, count } = await open(t);
  const shared = createSharedWrites({ dialect: 'postgres', write });
  await Promise.all(['a', 'b', 'c'].map((id) => shared((tx) => insert(tx, id))));
  assert.equal(count.committed, 3);
});
