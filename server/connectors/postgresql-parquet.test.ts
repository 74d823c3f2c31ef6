// Tables of PostgreSQL as Parquet files, with all their types.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { openCollection, sharedCollection } from '../../tests/support/collection.ts';
import { queryParquet } from '../../tests/support/parquet.ts';
import { postgres } from '../../tests/support/postgres.ts';
import { startSource } from '../../tests/support/postgresql-source.ts';
import { testWith } from '../../tests/support/tools.ts';

const shared = sharedCollection();

testWith([postgres], 'Parquet keeps the types: row by row what psql says, in parts that continue', async (t) => {
  const { url, config, sql } = await startSource(t);
  await sql(`set time zone 'Europe/Berlin';
    create type mood as enum ('glad', 'sad');
    create table t (id bigint, small smallint, n integer, price numeric(30,10), any_number numeric, f float8, f4 real, yes boolean, words text,
      code character(3), day date, at timestamptz, local timestamp(3), clock time, raw bytea, doc json, docb jsonb, tags text[], ids bigint[],
      amounts numeric(10,2)[], key uuid, span interval, mood mood);
    insert into t select 9007199254740993 + i, i % 100, -i, i::numeric / 7, i::numeric / 3, i / 3.0, i / 7.0, i % 2 = 0, E'a"\\ \n高 ' || i, 'xyz',
      date '1850-01-01' + i * 61, timestamptz '1890-01-01 00:00:00.123456Z' + i * interval '11 days', now(), time '08:00' + i * interval '1 s',
      decode(md5(i::text), 'hex'), E'{"z":1.10,\n "z":12345678901234567890.5}', jsonb_build_object('n', i), array['a, ' || i, null, '"'],
      array[i, null], array[i / 3.0, null], md5(i::text)::uuid, i * interval '1 hour', 'sad' from generate_series(1, 5100) i;
    insert into t (id) values (1)`);
  const bench = await openCollection(t, { partBytes: 500_000 });
  const id = await bench.task('postgresql', { ...config, table: 't', incrementalColumn: 'id', format: 'PARQUET' });
  const run = await bench.run(id);
  assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 5101], run.error ?? '');
  const paths = Object.keys(await bench.contents(id));
  assert.ok(paths.length === 2 && paths.every((path) => /^t\/part-00000\d\.parquet$/.test(path)), String(paths));
  assert.match(
    (await bench.logs(run)).join('\n'),
    /Parquet has no type for these columns, they are text: any_number \(numeric without a precision\): 5100 values, span \(interval\): 5100 values, mood \(mood\): 5100 values/,
  );

  const types = await queryParquet(await bench.bytes(id, paths[0] ?? ''), 'select column_type from (describe file)');
  const known = `BIGINT, SMALLINT, INTEGER, DECIMAL(30,10), VARCHAR, DOUBLE, FLOAT, BOOLEAN, VARCHAR, VARCHAR, DATE,
    TIMESTAMP WITH TIME ZONE, TIMESTAMP, TIME, BLOB, JSON, JSON, VARCHAR[], BIGINT[], DECIMAL(10,2)[], UUID, VARCHAR, VARCHAR`;
  assert.deepEqual(types.flat(), known.split(/,\s+/));
  const inBoth =
    'id, small, n, price, any_number, yes::int, words, code, day, "at", local, clock, doc, key, span, mood, f::numeric(20,8), f4::float8::numeric(20,6)';
  const psql = (columns: string): unknown[] =>
    execFileSync(
      'psql',
      [url, '-AtXq', '-c', `set time zone 'UTC'`, '-c', `select to_json(array[${columns}]) from t order by id`],
      {
        maxBuffer: 1e8,
      },
    )
      .toString()
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
  const texts = inBoth.split(', ').map((column) => `(${column})::text`);
  const lists = ['tags', 'ids', 'amounts'];
  const own: unknown[] = [];
  const ownTexts = texts.map((text) =>
    text.replace('::text', '::varchar').replaceAll('numeric', 'decimal').replace('float8', 'double'),
  );
  const ownLists = lists.map(
    (list) => `case when ${list} is null then null else to_json(${list}::varchar[])::varchar end`,
  );
  for (const path of paths) {
    const query = `select ${[...ownTexts, 'lower(hex(raw))', ...ownLists].join(', ')} from file order by id`;
    own.push(...(await queryParquet(await bench.bytes(id, path), query)));
  }
  const listed = lists.map(
    (list) => `case when ${list} is null then null else array_to_json(${list}::text[])::text end`,
  );
  const expected = psql([...texts, "encode(raw, 'hex')", ...listed].join(', '));
  assert.equal(own.length, 5101);
  for (const [index, row] of expected.entries()) assert.deepEqual(own[index], row);

  assert.equal((await bench.run(id)).counts.in, 0);
  assert.equal(await bench.version(id), 2);
  await sql('insert into t (id, ids) values (9107199254740993, array[[1, 2], [3, 4]])');
  const misfit = await bench.run(id);
  assert.equal(misfit.counts.kept, 1);
  assert.match((await bench.logs(misfit)).join('\n'), /do not fit their type, .*: ids \(BIGINT\[\]\): 1 values/);
  const last = Object.keys(await bench.contents(id)).at(-1) ?? '';
  assert.deepEqual(await queryParquet(await bench.bytes(id, last), 'select id, ids, tags from file'), [
    ['9107199254740993', '[[1,2],[3,4]]', null],
  ]);
});

testWith([postgres], 'Parquet of a whole table: no rows, infinity, names that differ in case, unchanged', async (t) => {
  const { config, sql } = await startSource(t);
  await sql('create table e (day date, n numeric(5,2), "a b" int)');
  const bench = await shared();
  const id = await bench.task('postgresql', { ...config, table: 'e', format: 'PARQUET' });
  await bench.run(id);
  const describe = 'select column_name, column_type from (describe file)';
  const typesOf = async (): Promise<unknown> => queryParquet(await bench.bytes(id, 'e.parquet'), describe);
  assert.deepEqual(await typesOf(), [
    ['day', 'DATE'],
    ['n', 'DECIMAL(5,2)'],
    ['a b', 'INTEGER'],
  ]);

  await sql(`insert into e values ('2026-01-31', 1.5, 1), ('infinity', 'NaN', 2), ('0044-03-15 BC', null, 3)`);
  const run = await bench.run(id);
  assert.equal(run.counts.kept, 3);
  assert.match((await bench.logs(run)).join('\n'), /day \(DATE\): 2 values, n \(DECIMAL\(5,2\)\): 1 values/);
  assert.deepEqual(await queryParquet(await bench.bytes(id, 'e.parquet'), 'from file'), [
    ['2026-01-31', '1.50', 1],
    ['infinity', 'NaN', 2],
    ['0044-03-15 BC', null, 3],
  ]);
  assert.equal((await bench.run(id)).counts.dropped, 3, 'the same rows make the same file');

  await sql(`create table clocks (id int, clock time, clocks time(3)[]);
    insert into clocks values (1, '23:59:59.999999', '{08:00,23:59}'), (2, '24:00:00', '{08:00,24:00:00}'), (3, null, '{}')`);
  const late = await bench.task('postgresql', { ...config, table: 'clocks', format: 'PARQUET' });
  const told = await bench.run(late);
  assert.match((await bench.logs(told)).join('\n'), /clock \(TIME\): 1 values, clocks \(TIME\[\]\): 1 values/);
  assert.deepEqual(
    await queryParquet(await bench.bytes(late, 'clocks.parquet'), 'select clock, clocks from file order by id'),
    [
      ['23:59:59.999999', '["08:00:00","23:59:00"]'],
      ['24:00:00', '["08:00:00","24:00:00"]'],
      [null, '[]'],
    ],
  );

  const query = { ...config, query: 'select 1 as a, 2 as "A"', format: 'PARQUET' };
  const refused = await bench.run(await bench.task('postgresql', query));
  assert.match(refused.error ?? '', /does not tell the columns a and A apart; .*choose JSONL/);
});
