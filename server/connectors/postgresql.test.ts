import assert from 'node:assert/strict';
import pg from 'pg';
import { openCollection, sharedCollection } from '../../tests/support/collection.ts';
import { postgres } from '../../tests/support/postgres.ts';
import { startSource } from '../../tests/support/postgresql-source.ts';
import { startTcpProxy } from '../../tests/support/tcp-proxy.ts';
import { testWith } from '../../tests/support/tools.ts';

const shared = sharedCollection();

const linesOf = (text: string | undefined): unknown[] =>
  (text ?? '').split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));

testWith([postgres], 'a table becomes JSON Lines with its types; unchanged, it adds no version', async (t) => {
  const { config, sql } = await startSource(t);
  await sql(`create table things (id bigint, price numeric, at timestamptz, tags text[], doc json, raw bytea, none text);
    insert into things values (9007199254740993, 12345678901234567890.123456789, '2026-01-31T08:00:00Z', '{a,"b c"}',
      E'{"z":1,\\n "a":"x\\\\ny"}', '\\xdeadbeef', null)`);
  const bench = await shared();
  const id = await bench.task('postgresql', { ...config, table: 'public.things' }, { prefix: 'db' });
  const run = await bench.run(id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.deepEqual(run.counts, { in: 1, kept: 1, changed: 0, dropped: 0, failed: 0, emitted: 1 });
  const text = (await bench.contents(id))['db/public.things.jsonl'] ?? '';
  assert.equal(text.split('\n').length, 2, text);
  assert.match(text, /"id":9007199254740993,"price":12345678901234567890\.123456789,"at":"2026-01-31T/);
  assert.match(text, /"tags":\["a","b c"\],"doc":\{"z":1,.*"raw":"\\\\xdeadbeef","none":null\}/);

  const again = await bench.run(id);
  assert.deepEqual([again.counts.kept, again.counts.dropped], [0, 1]);
  assert.equal(await bench.version(id), 2);
  await sql('insert into things (id) values (2)');
  assert.equal((await bench.run(id)).counts.kept, 2);
  assert.equal(await bench.version(id), 3);
});

testWith([postgres], 'later runs read only new rows, also those that get the last value later', async (t) => {
  const { config, sql } = await startSource(t);
  await sql(
    `create table events (id int, seen int); insert into events select n, n / 10 from generate_series(1, 25) n`,
  );
  const bench = await shared();
  const id = await bench.task('postgresql', { ...config, table: 'events', incrementalColumn: 'seen' });
  assert.equal((await bench.run(id)).counts.kept, 25);
  const unchanged = await bench.run(id);
  assert.deepEqual([unchanged.status, unchanged.counts.in], ['COMPLETED', 0]);
  assert.equal(await bench.version(id), 2);

  await sql('insert into events values (26, 2), (27, 3), (28, null)');
  const more = await bench.run(id);
  assert.equal(more.counts.kept, 2);
  assert.match((await bench.logs(more)).join('\n'), /1 row has no value in seen; only a run from the start/);
  const contents = await bench.contents(id);
  assert.deepEqual(Object.keys(contents), ['events/part-000001.jsonl', 'events/part-000002.jsonl']);
  assert.deepEqual(linesOf(contents['events/part-000002.jsonl']), [
    { id: 26, seen: 2 },
    { id: 27, seen: 3 },
  ]);

  await sql('alter table events add column note text; insert into events values (29, 4, null)');
  const changed = await bench.run(id);
  assert.equal(changed.counts.kept, 1);
  assert.match((await bench.logs(changed)).join('\n'), /New columns since the last run: note/);

  const anew = await bench.run(id, { fromStart: true });
  assert.equal(anew.counts.kept, 29);
  const all = await bench.contents(id);
  assert.deepEqual(
    Object.keys(all),
    ['events/part-000001.jsonl'],
    'earlier parts end with the run that reads them again',
  );
  assert.equal(linesOf(all['events/part-000001.jsonl']).length, 29);

  await sql('alter table events drop column seen');
  const broken = await bench.run(id);
  assert.equal(broken.status, 'FAILED');
  assert.match(broken.error ?? '', /could not be read to its end: there is no column seen/);
});

testWith([postgres], 'a query can change nothing and holds one statement', async (t) => {
  const { config, sql } = await startSource(t);
  await sql('create table t (a int); insert into t values (1), (2)');
  const bench = await shared();
  const good = await bench.task('postgresql', {
    ...config,
    query: 'select a + 1 as b from t order by a; -- done /* not',
    fileName: 'q',
  });
  await bench.run(good);
  assert.equal((await bench.contents(good))['q.jsonl'], '{"b":2}\n{"b":3}\n');
  const { targetDatasetId } = await bench.tasks.get(good);
  const { content: files } = await bench.data.files.list(targetDatasetId ?? '', {
    page: 0,
    size: 1,
    sort: 'filePath,asc',
    directories: false,
  });
  const { host, port, database } = config;
  assert.deepEqual(files[0]?.origin?.evidence, {
    host,
    port,
    database,
    query: 'select a + 1 as b from t order by a; -- done /* not',
  });
  const wrong: readonly (readonly [query: string, problem: RegExp])[] = [
    ['select 1) as q; delete from t; select (1', /syntax error|multiple commands/],
    ['delete from t returning a', /syntax error/],
    ['with gone as (delete from t returning a) select * from gone', /syntax error|data-modifying|read-only/],
    ['select * from nothing', /relation "nothing" does not exist/],
  ];
  for (const [query, problem] of wrong) {
    const { ok, message } = await bench.sources.test('postgresql', { config: { ...config, query } });
    assert.equal(ok, false, query);
    assert.match(message, problem);
  }
  const odd = await bench.sources.test('postgresql', { config: { ...config, table: 't', incrementalColumn: 'gone' } });
  assert.deepEqual([odd.ok, odd.message], [false, 'There is no column gone']);
  const found = await bench.sources.test('postgresql', { config: { ...config, table: 't' } });
  assert.deepEqual([found.ok, found.sample], [true, [{ a: 1 }, { a: 2 }]]);
});

testWith([postgres], 'what goes wrong with the server has a cause that a person understands', async (t) => {
  const { config } = await startSource(t);
  const bench = await shared();
  const cases: readonly (readonly [change: object, problem: RegExp])[] = [
    [{ database: 'nowhere' }, /has no database nowhere/],
    [{ user: 'nobody-at-all' }, /refuses the user nobody-at-all or the password/],
    [{ host: 'localhost', tls: true }, /TLS connection .* failed: The server does not support SSL/],
    [{ port: 1026 }, /Nothing accepts connections at/],
    [{ host: '10.255.255.1' }, /not allowed.*TILTH_OUTGOING_ALLOW/],
  ];
  for (const [change, problem] of cases) {
    const { ok, message } = await bench.sources.test('postgresql', { config: { ...config, ...change, table: 't' } });
    assert.equal(ok, false);
    assert.match(message, problem);
    assert.ok(config.password === '' || !message.includes(config.password));
  }
});

testWith([postgres], 'a connection that breaks keeps what came, and the next run brings the rest once', async (t) => {
  const { config, sql } = await startSource(t);
  await sql(`create table big as select n as id, repeat('x', 200) as text from generate_series(1, 30000) n`);
  const proxy = await startTcpProxy({ host: config.host, port: config.port });
  t.after(() => proxy.close());
  const bench = await openCollection(t, { partBytes: 1_000_000 });
  const create = bench.blobs.create.bind(bench.blobs);
  let writesLeft = 3;
  let fault = (): unknown => proxy.cut();
  bench.blobs.create = (options) => {
    const writer = create(options);
    const write = writer.write.bind(writer);
    writer.write = (bytes) => {
      writesLeft -= 1;
      if (writesLeft === 0) fault();
      return write(bytes);
    };
    return writer;
  };
  const id = await bench.task('postgresql', { ...config, port: proxy.port, table: 'big', incrementalColumn: 'id' });
  const run = await bench.run(id);
  assert.equal(run.status, 'FAILED');
  assert.match(
    run.error ?? '',
    /could not be read to its end: PostgreSQL at .* (closed the connection|can not be read)/,
  );
  assert.ok(run.counts.kept >= 5000 && run.counts.kept < 30_000, String(run.counts.kept));
  const rest = await bench.run(id, { resume: true });
  assert.deepEqual([rest.status, rest.counts.kept], ['COMPLETED', 30_000]);
  const ids = Object.values(await bench.contents(id))
    .flatMap(linesOf)
    .map((row) => (row as { id: number }).id);
  assert.deepEqual([ids.length, new Set(ids).size], [30_000, 30_000]);

  // A server restart ends all sessions in this way.
  writesLeft = 3;
  fault = () =>
    sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tilth' and datname = current_database()`,
    );
  const ended = await bench.task('postgresql', { ...config, table: 'big', incrementalColumn: 'id', fileName: 'ended' });
  const restarted = await bench.run(ended);
  assert.match(restarted.error ?? '', /is shutting down or starting: terminating connection|closed the connection/);
  assert.deepEqual(
    [(await bench.run(ended)).status, Object.values(await bench.contents(ended)).flatMap(linesOf).length],
    ['COMPLETED', 30_000],
  );
  fault = () => proxy.cut();

  // Without an incremental column, half of a table is of no use.
  writesLeft = 3;
  const whole = await bench.task('postgresql', { ...config, port: proxy.port, table: 'big' });
  assert.equal((await bench.run(whole)).status, 'FAILED');
  assert.deepEqual(await bench.contents(whole), {});
  assert.equal((await bench.run(whole)).counts.kept, 30_000);
});

testWith([postgres], 'a sample is small whatever the rows hold, and keeps the digits of integers', async (t) => {
  const { config, sql } = await startSource(t);
  await sql(
    `create table t as select 9223372036854775807 as a, repeat('x', 20000000) as b, '[1.50]'::json as c, 'y' as d`,
  );
  const bench = await shared();
  const { sample } = await bench.sources.test('postgresql', { config: { ...config, table: 't' } });
  assert.deepEqual(sample, [{ a: '9223372036854775807', b: `${'x'.repeat(1000)}…`, c: ['1.50'], d: 'y' }]);
});

testWith([postgres], 'infinity and NaN are read once and counted', async (t) => {
  const { config, sql } = await startSource(t);
  await sql(`create table e (at timestamptz, n float8);
    insert into e values ('2024-01-01', 1), ('infinity', 'NaN'), ('-infinity', 'infinity'), (null, 2)`);
  const bench = await shared();
  for (const incrementalColumn of ['at', 'n']) {
    const id = await bench.task('postgresql', {
      ...config,
      table: 'e',
      incrementalColumn,
      fileName: incrementalColumn,
    });
    assert.equal((await bench.run(id)).counts.kept, 4);
    await sql(`insert into e values ('2024-02-01', 3)`);
    const again = await bench.run(id);
    assert.equal(again.counts.kept, 1);
    assert.match((await bench.logs(again)).join('\n'), /[23] rows have no value in (at|n); only/);
    await sql('delete from e where n = 3');
  }
});

testWith([postgres], 'two columns of one name, and TLS to an address, are refused with their cause', async (t) => {
  const { config } = await startSource(t);
  const bench = await shared();
  const twice = { ...config, query: 'select 1 as b, 2 as b' };
  assert.match((await bench.sources.test('postgresql', { config: twice })).message, /two columns named b/);
  const run = await bench.run(await bench.task('postgresql', twice));
  assert.equal(run.status, 'FAILED');
  assert.match(run.error ?? '', /two columns named b/);
  const address = { ...config, host: '127.0.0.1', tls: true, table: 't' };
  assert.match((await bench.sources.test('postgresql', { config: address })).message, /needs the server's name/);
});

testWith([postgres], 'with settleSeconds, rows that commit late under a lower value are not missed', async (t) => {
  const { url, config, sql } = await startSource(t);
  await sql('create table e (id int); insert into e values (1), (3), (null)');
  const late = new pg.Client({ connectionString: url });
  await late.connect();
  await late.query('begin; insert into e values (2)');
  const waits: number[] = [];
  const bench = await openCollection(t, {
    async pause(ms) {
      waits.push(ms);
      if (waits.length > 1) return;
      await late.query('commit');
      await late.end();
      await sql('insert into e values (4)');
    },
  });
  const id = await bench.task('postgresql', { ...config, table: 'e', incrementalColumn: 'id', settleSeconds: 90 });
  assert.equal((await bench.run(id)).counts.kept, 4);
  assert.deepEqual(linesOf((await bench.contents(id))['e/part-000001.jsonl']), [
    { id: null },
    { id: 1 },
    { id: 2 },
    { id: 3 },
  ]);
  assert.equal((await bench.run(id)).counts.kept, 1, 'the row that came during the wait');
  assert.deepEqual(waits, [90_000, 90_000]);
});
