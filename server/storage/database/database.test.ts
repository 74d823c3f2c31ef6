import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { forEachDatabase } from '../../../tests/support/databases.ts';
import { test } from 'node:test';
import { openDatabase, type Db } from './database.ts';
import { prepared } from './prepared.ts';
import { contains, isUniqueViolation, keysTable, rowsTable } from './sql.ts';

const tag = (id: string, name = id) => ({
  id,
  name,
  name_key: name.toLowerCase(),
  color: '#123456',
  description: '',
  created_at: '2026-01-31T08:00:00.000Z',
});

async function tagNames(db: Db): Promise<string[]> {
  return (await db.selectFrom('tags').select('name').orderBy('name').execute()).map((row) => row.name);
}

forEachDatabase('a transaction is seen by all readers once it is committed', async (_t, open) => {
  const db = await open();
  await db.write((tx) => tx.insertInto('tags').values(tag('a')).execute());
  assert.deepEqual(await tagNames(db.read), ['a']);
  assert.deepEqual(await tagNames(db.scan), ['a']);
});

forEachDatabase('a transaction whose work fails leaves nothing', async (_t, open) => {
  const db = await open();
  const failure = new Error('no');
  await assert.rejects(
    db.write(async (tx) => {
      await tx.insertInto('tags').values(tag('a')).execute();
      throw failure;
    }),
    failure,
  );
  assert.deepEqual(await tagNames(db.read), []);
});

forEachDatabase('parallel transactions do not lose updates on a locked row', async (_t, open) => {
  const db = await open();
  await db.write((tx) => tx.insertInto('tags').values(tag('a', '0')).execute());
  await Promise.all(
    Array.from({ length: 20 }, () =>
      db.write(async (tx) => {
        let query = tx.selectFrom('tags').select('name').where('id', '=', 'a');
        if (db.dialect === 'postgres') query = query.forUpdate();
        const { name } = await query.executeTakeFirstOrThrow();
        await tx
          .updateTable('tags')
          .set({ name: String(Number(name) + 1) })
          .where('id', '=', 'a')
          .execute();
      }),
    ),
  );
  assert.deepEqual(await tagNames(db.read), ['20']);
});

forEachDatabase('a violated unique index is recognised', async (_t, open) => {
  const db = await open();
  await db.write((tx) => tx.insertInto('tags').values(tag('a', 'Soil')).execute());
  await assert.rejects(
    db.write((tx) => tx.insertInto('tags').values(tag('b', 'soil')).execute()),
    isUniqueViolation,
  );
  assert.equal(isUniqueViolation(new Error('other')), false);
  assert.equal(isUniqueViolation(null), false);
});

forEachDatabase('text is ordered by its bytes', async (_t, open) => {
  const db = await open();
  const names = ['b', 'B', 'a', 'Z', '_', '高', '\u{1f33e}', '\uffee', 'é', 'a/b', 'a b', 'a.b'];
  await db.write((tx) =>
    tx
      .insertInto('tags')
      .values(names.map((name, i) => tag(String(i), name)).map((row) => ({ ...row, name_key: row.name })))
      .execute(),
  );
  assert.deepEqual(
    await tagNames(db.read),
    names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
});

forEachDatabase('rows travel as one parameter, whatever they hold', async (_t, open) => {
  const db = await open();
  const rows = [
    { name: `it's "quoted" \\ {} [] $1 ?`, size: 2 ** 53 - 1, share: 0.25 },
    { name: null, size: null, share: null },
    { name: '高\u{1f33e}\n\t', size: -1, share: -1.5 },
    { name: 'null', size: 0, share: 1 },
  ];
  const columns = { name: 'text', size: 'integer', share: 'real' } as const;
  const table = rowsTable(db.read, columns, rows);
  const found = await sql`select name, size, share, ordinal from ${table} order by ordinal`.execute(db.read);
  assert.deepEqual(
    found.rows,
    rows.map((row, ordinal) => ({ ...row, ordinal })),
  );
  const none = await sql`select * from ${rowsTable(db.read, columns, [])}`.execute(db.read);
  assert.deepEqual(none.rows, []);
});

forEachDatabase('more keys than a statement has variables are looked up at once', async (_t, open) => {
  const db = await open();
  await db.write((tx) =>
    tx
      .insertInto('tags')
      .values([tag('a'), tag('b'), tag('c')])
      .execute(),
  );
  const keys = ['b', 'c', ...Array.from({ length: 40_000 }, (_, index) => `x${index}`)];
  const found = await db.read
    .selectFrom('tags')
    .select('id')
    .where(sql<boolean>`id in ${keysTable(db.read, keys)}`)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    found.map((row) => row.id),
    ['b', 'c'],
  );
});

forEachDatabase('a searched text is literal', async (_t, open) => {
  const db = await open();
  await db.write((tx) =>
    tx
      .insertInto('tags')
      .values([tag('1', '100%'), tag('2', '100x'), tag('3', 'a_b'), tag('4', 'aab')])
      .execute(),
  );
  const search = async (needle: string) =>
    (
      await db.read
        .selectFrom('tags')
        .select('id')
        .where(contains(db.read, sql`name`, needle))
        .orderBy('id')
        .execute()
    ).map((row) => row.id);
  assert.deepEqual(await search('%'), ['1']);
  assert.deepEqual(await search('a_'), ['3']);
  assert.deepEqual(await search('100'), ['1', '2']);
});

test('the readers of SQLite cannot write', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-database-'));
  t.after(() => rm(directory, { recursive: true }));
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  t.after(() => db.close());
  for (const reader of [db.read, db.scan]) {
    await assert.rejects(reader.insertInto('tags').values(tag('a')).execute(), /readonly|query_only/);
  }
});

test('a database that is opened again keeps its rows and its tables', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-database-'));
  const file = join(directory, 'tilth.db');
  const first = await openDatabase({ file });
  await first.write((tx) => tx.insertInto('tags').values(tag('a')).execute());
  await first.close();
  const second = await openDatabase({ file });
  t.after(async () => {
    await second.close();
    await rm(directory, { recursive: true });
  });
  assert.deepEqual(await tagNames(second.read), ['a']);
});

test('a file that is no database stops the start with its cause', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-database-'));
  t.after(() => rm(directory, { recursive: true }));
  await assert.rejects(openDatabase({ file: directory }), /unable to open database file/);
});

forEachDatabase('a prepared statement takes new parameters each time, in and out of transactions', async (_t, open) => {
  const db = await open();
  const findTag = prepared<{ id: string; color: string }, { name: string }>((on, p) =>
    on.selectFrom('tags').select('name').where('id', '=', p('id')).where('color', '=', p('color')).limit(1),
  );
  await db.write((tx) =>
    tx
      .insertInto('tags')
      .values([tag('a', 'Soil'), tag('b', 'Seed')])
      .execute(),
  );
  assert.deepEqual(await findTag(db.read, { id: 'a', color: '#123456' }), [{ name: 'Soil' }]);
  assert.deepEqual(await findTag(db.scan, { id: 'b', color: '#123456' }), [{ name: 'Seed' }]);
  assert.deepEqual(await findTag(db.read, { id: 'a', color: '#000000' }), []);
  assert.deepEqual(await db.write((tx) => findTag(tx, { id: 'b', color: '#123456' })), [{ name: 'Seed' }]);
});

test('SQLite never looks into a parameter, which would have it compile the statement at each execution', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-database-'));
  t.after(() => rm(directory, { recursive: true }));
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  t.after(() => db.close());
  const built = db.read.selectFrom('tags').select('id').where('id', '=', 'a').limit(1).compile();
  assert.match(built.sql, /"id" = \+\? limit \+\?$/);
  const raw = sql`select ${'a'} as a, ${1} as b`;
  assert.equal(raw.compile(db.read).sql, 'select +? as a, +? as b');
  assert.deepEqual((await raw.execute(db.read)).rows, [{ a: 'a', b: 1 }]);
});

forEachDatabase(
  'prepared reads that run together: each gets its own rows or error, and sees what was committed',
  async (_t, open) => {
    const db = await open();
    const findName = prepared<{ id: string }, { name: string }>((on, p) =>
      on.selectFrom('tags').select('name').where('id', '=', p('id')),
    );
    const failing = prepared<{ id: string }, unknown>((on, p) =>
      on
        .selectFrom('tags')
        .select(sql`1 / (json_array_length(${p('id')}) - 1)`.as('x'))
        .where('id', '=', 'a'),
    );
    await db.write((tx) => tx.insertInto('tags').values(tag('a', 'Soil')).execute());
    const results = await Promise.allSettled([
      findName(db.read, { id: 'a' }),
      failing(db.read, { id: 'no JSON' }),
      findName(db.read, { id: 'a' }),
      findName(db.read, { id: 'b' }),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
      [[{ name: 'Soil' }], 'failed', [{ name: 'Soil' }], []],
    );
    for (let round = 0; round < 50; round++) {
      await db.write((tx) =>
        tx
          .updateTable('tags')
          .set({ name: `n${round}` })
          .where('id', '=', 'a')
          .execute(),
      );
      const reads = await Promise.all([findName(db.read, { id: 'a' }), findName(db.read, { id: 'a' })]);
      assert.deepEqual(reads, [[{ name: `n${round}` }], [{ name: `n${round}` }]]);
    }
  },
);

test('prepared reads that wait when SQLite closes fail, and none stays open', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-database-'));
  t.after(() => rm(directory, { recursive: true }));
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  const findName = prepared<{ id: string }, { name: string }>((on, p) =>
    on.selectFrom('tags').select('name').where('id', '=', p('id')),
  );
  const reads = [findName(db.read, { id: 'a' }), findName(db.read, { id: 'b' })];
  const results = Promise.allSettled(reads);
  await db.close();
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
});
