import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { listStarted } from '../../tests/support/started-processes.ts';
import SqliteDatabase from 'better-sqlite3';
import { openCollection, sharedCollection } from '../../tests/support/collection.ts';
import { queryParquet } from '../../tests/support/parquet.ts';

const shared = sharedCollection({ roots: [tmpdir()] });

async function startSource(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-source-'));
  const path = join(folder, 'source.db');
  const db = new SqliteDatabase(path);
  t.after(async () => {
    db.close();
    await rm(folder, { recursive: true });
  });
  return { folder, path, sql: (text: string) => void db.exec(text) };
}

test('a table becomes JSON Lines with its types; unchanged, it adds no version', async (t) => {
  const { path, sql } = await startSource(t);
  sql(`create table things (id integer, price real, name text, raw blob, "a ""b" text);
    insert into things values (9007199254740993, 1.5, 'a
b', x'deadbeef', null), (2, 9e999, '高', null, 'x')`);
  const bench = await shared();
  const id = await bench.task('sqlite', { path, table: 'things' });
  const run = await bench.run(id);
  assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 2], run.error ?? '');
  assert.equal(
    (await bench.contents(id))['things.jsonl'],
    String.raw`{"id":9007199254740993,"price":1.5,"name":"a\nb","raw":"3q2+7w==","a \"b":null}` +
      '\n' +
      String.raw`{"id":2,"price":"Infinity","name":"高","raw":null,"a \"b":"x"}` +
      '\n',
  );
  assert.equal((await bench.run(id)).counts.dropped, 2);
  assert.equal(await bench.version(id), 2);
});

test('later runs read only new rows, whatever the types of the column', async (t) => {
  const { path, sql } = await startSource(t);
  sql(`create table e (at, n integer); insert into e values (1, 1), (9007199254740993, 2), ('a', 3), ('b', 4)`);
  const bench = await shared();
  const id = await bench.task('sqlite', { path, table: 'e', incrementalColumn: 'at' });
  assert.equal((await bench.run(id)).counts.kept, 4);
  assert.equal((await bench.run(id)).counts.in, 0);
  sql(`insert into e values ('b', 5), ('c', 6), ('b', 4)`);
  const more = await bench.run(id);
  assert.equal(more.counts.kept, 3);
  assert.equal((await bench.run(id)).counts.in, 0);
  const { 'e/part-000002.jsonl': part } = await bench.contents(id);
  assert.equal(part?.trim().split('\n').length, 3, 'an equal row that came later is a row, too');

  // The log names a file of rows that somebody deleted: its rows are not read again.
  const datasetId = (await bench.tasks.get(id)).targetDatasetId ?? '';
  const { content } = await bench.data.files.list(datasetId, { page: 0, size: 10, directories: false });
  const first = content.find(({ filePath }) => filePath === 'e/part-000001.jsonl');
  await bench.data.files.remove(datasetId, first?.id ?? '', false, 'ann');
  const without = await bench.run(id);
  assert.deepEqual([without.status, without.counts.in], ['COMPLETED', 0], without.error ?? '');
  const gone =
    /files of rows that were collected before are no longer at their paths in the dataset \(1 of 2\); only a run/;
  assert.match((await bench.logs(without)).join('\n'), gone);
  const { version: before } = await bench.data.datasets.get(datasetId);
  assert.equal((await bench.run(id, { fromStart: true })).counts.kept, 7);
  const { version: after } = await bench.data.datasets.get(datasetId);
  assert.equal(after, before + 1, 'earlier parts end in the version that adds the new ones');
  assert.doesNotMatch((await bench.logs(await bench.run(id))).join('\n'), gone);

  sql('create table numbers (n integer); insert into numbers values (9007199254740993)');
  const numbers = await bench.task('sqlite', { path, table: 'numbers', incrementalColumn: 'n' });
  await bench.run(numbers);
  sql('insert into numbers values (9007199254740992), (9007199254740994)');
  assert.equal((await bench.run(numbers)).counts.kept, 1);
});

test('only one SELECT is run, over the one file', async (t) => {
  const { path, sql } = await startSource(t);
  sql('create table t (a); insert into t values (1)');
  const bench = await shared();
  const ask = async (query: string) => bench.sources.test('sqlite', { config: { path, query } });
  assert.deepEqual((await ask('select a from t; ')).sample, [{ a: 1 }]);
  assert.deepEqual((await ask('with x as (select 2 as b) select * from x')).sample, [{ b: 2 }]);
  const odd = await bench.sources.test('sqlite', { config: { path, table: 't', incrementalColumn: 'gone' } });
  assert.deepEqual([odd.ok, odd.message], [false, 'SQLite: there is no column gone']);
  for (const query of [
    "attach '/etc/passwd' as x",
    'delete from t returning a',
    'select 1; delete from t',
    'select 1); delete from t; select (1',
    'pragma journal_mode = off',
    "vacuum into '/tmp/x'",
    "select load_extension('x')",
    'select * from nothing',
  ]) {
    const { ok, message } = await ask(query);
    assert.equal(ok, false, `${query}: ${message}`);
    assert.match(message, /^SQLite: /);
  }
  assert.deepEqual((await ask('select count(*) as n from t')).sample, [{ n: 1 }]);
});

test('files that are no database, missing, or elsewhere say so', async (t) => {
  const { folder, sql } = await startSource(t);
  sql('create table t (a)');
  const bench = await openCollection(t, { roots: [folder] });
  await writeFile(join(folder, 'text.db'), 'this is a long enough text that is no database at all'.repeat(50));
  await symlink('/etc/passwd', join(folder, 'link.db'));
  const cases: readonly (readonly [name: string, problem: RegExp])[] = [
    ['text.db', /no SQLite database/],
    ['gone.db', /does not exist/],
    ['link.db', /leads by a link to a place that is not allowed/],
    ['.', /is no file/],
  ];
  for (const [name, problem] of cases) {
    const { ok, message } = await bench.sources.test('sqlite', { config: { path: join(folder, name), table: 't' } });
    assert.equal(ok, false);
    assert.match(message, problem);
  }
});

const endlessQuery = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) as n from c';

/** Number of child processes that read a database. */
const readers = (): number => listStarted('sqlite-process').length;

async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!isSo()) {
    assert.ok(Date.now() < end, 'took too long');
    await setTimeout(20);
  }
}

test(
  'a query that never ends is killed with its test and with its run',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const { folder, path, sql } = await startSource(t);
    sql('create table t (a)');
    const bench = await openCollection(t, { roots: [folder] });
    const gone = new AbortController();
    const tested = bench.sources.test('sqlite', { config: { path, query: endlessQuery } }, gone.signal);
    await until(() => readers() === 1);
    gone.abort();
    assert.equal((await tested).ok, false);
    await until(() => readers() === 0);

    const id = await bench.task('sqlite', { path, query: endlessQuery });
    void bench.run(id).catch(() => {});
    await until(() => readers() === 1);
    await bench.stop();
    await until(() => readers() === 0);
  },
);

test('a sample is small whatever the rows hold, and keeps the digits of integers', async (t) => {
  const { path, sql } = await startSource(t);
  sql(
    `create table t (a, b, c); insert into t values (9223372036854775807, zeroblob(50000000), replace(hex(zeroblob(5000000)), '0', 'x'))`,
  );
  const bench = await shared();
  const { sample } = await bench.sources.test('sqlite', { config: { path, table: 't' } });
  assert.equal(sample[0]?.['a'], '9223372036854775807');
  assert.equal(sample[0]?.['c'], `${'x'.repeat(1000)}…`);
  assert.ok(JSON.stringify(sample).length < 3000);
});

test('values that can not be continued by are read once and counted', async (t) => {
  const { path, sql } = await startSource(t);
  sql(
    `create table e (at integer, n); insert into e values (1, 1), (2, 2), ('text', 3), (x'ff', 4), (9e999, 5), (null, 6)`,
  );
  const bench = await shared();
  const id = await bench.task('sqlite', { path, table: 'e', incrementalColumn: 'at' });
  assert.equal((await bench.run(id)).counts.kept, 6);
  const again = await bench.run(id);
  assert.equal(again.counts.in, 0);
  assert.match((await bench.logs(again)).join('\n'), /4 rows have no value in at; only/);
  sql('insert into e values (3, 7)');
  assert.equal((await bench.run(id)).counts.kept, 1);
});

test('Parquet keeps the types of columns; values of other types make text of a column, and are counted', async (t) => {
  const { path, sql } = await startSource(t);
  sql(`create table things (id integer, price real, name text, raw blob, yes boolean, amount decimal(10,2), day date, any);
    insert into things values (9007199254740993, 1.5, 'a
b', x'deadbeef', true, 1, '2026-01-31', x'00ff'), (2, 1e16, '高', 'text', false, 2.5, null, x''), (3, null, null, null, null, null, 7, null)`);
  const bench = await shared();
  const config = { path, table: 'things', format: 'PARQUET' };
  const id = await bench.task('sqlite', { ...config, incrementalColumn: 'id' });
  const run = await bench.run(id);
  assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 3], run.error ?? '');
  const first = await bench.bytes(id, 'things/part-000001.parquet');
  assert.deepEqual(await queryParquet(first, 'select string_agg(column_type) from (describe file)'), [
    ['BIGINT,DOUBLE,VARCHAR,BLOB,BOOLEAN,DOUBLE,VARCHAR,BLOB'],
  ]);
  assert.deepEqual(
    await queryParquet(first, 'select * replace (hex(raw) as raw, hex("any") as "any") from file order by id'),
    [
      ['2', 1e16, '高', '74657874', false, 2.5, null, ''],
      ['3', null, null, null, null, null, '7', null],
      ['9007199254740993', 1.5, 'a\nb', 'DEADBEEF', true, 1, '2026-01-31', '00FF'],
    ],
  );
  assert.equal((await bench.run(id)).counts.in, 0);

  sql(
    `create table loose (n integer, r real, m); insert into loose values (1, 2, 3), ('x', 9007199254740993, 1.5), (2.5, null, 9007199254740993)`,
  );
  const loose = await bench.task('sqlite', { path, table: 'loose', format: 'PARQUET' });
  const misfit = await bench.run(loose);
  assert.match(
    (await bench.logs(misfit)).join('\n'),
    /do not fit their type, .*: n \(BIGINT\): 2 values, m \(DOUBLE\): 1 values/,
  );
  assert.deepEqual(await queryParquet(await bench.bytes(loose, 'loose.parquet'), 'from file'), [
    ['1', 2, '3'],
    ['x', 9007199254740992, '1.5'],
    ['2.5', null, '9007199254740993'],
  ]);
});

test('rows with text that is not UTF-8 fail with row and column, and no character is replaced', async (t) => {
  const { path, sql } = await startSource(t);
  const texts = [
    '636166e9',
    '636166c3a9',
    'efbfbd',
    'c080',
    'eda080',
    'f4908080',
    'efbfbde9',
    'e9',
    '',
    'f09f9880',
    'c3',
    '61',
  ];
  sql(`create table t (id integer, v text, raw blob, "w.x" text);
    with recursive n(i) as (values (1) union all select i + 1 from n where i < 2500) insert into t select i, 'ok', null, 'ok' from n`);
  for (const [at, hex] of texts.entries())
    sql(`insert into t values (${3000 + at}, cast(x'${hex}' as text), x'${hex}', 'ok')`);
  sql(`insert into t values (4000, 'ok', null, cast(x'ff' as text)), (4001, '\ufffd', null, 'ok')`);
  const bench = await shared();
  const damaged = [1, 4, 5, 6, 7, 8, 11].map((at) => 2500 + at);
  const wanted = [
    ...damaged.map(
      (row) => `FAILED row ${row}: its v has bytes that are not UTF-8; a query can read them with CAST … AS BLOB`,
    ),
    'FAILED row 2513: its w.x has bytes that are not UTF-8; a query can read them with CAST … AS BLOB',
  ];
  for (const more of [{}, { incrementalColumn: 'id' }, { format: 'PARQUET' }]) {
    const id = await bench.task('sqlite', { path, table: 't', ...more });
    const run = await bench.run(id);
    assert.deepEqual([run.status, run.counts.kept, run.counts.failed], ['COMPLETED', 2506, 8], run.error ?? '');
    const verdicts = await bench.verdicts(run);
    assert.deepEqual(
      verdicts.filter((each) => each.startsWith('FAILED')),
      wanted,
      JSON.stringify(more),
    );
    const [text = ''] = Object.values(await bench.contents(id));
    if (!('format' in more)) assert.match(text, /"id":3001,"v":"café".*\n\{"id":3002,"v":"\ufffd"/);
  }
  const raw = await bench.task('sqlite', { path, query: 'select cast(v as blob) as v from t where id = 3000' });
  await bench.run(raw);
  assert.equal(
    (await bench.contents(raw))['query.jsonl'],
    `{"v":"${Buffer.from('caf\xe9', 'latin1').toString('base64')}"}\n`,
  );
});
