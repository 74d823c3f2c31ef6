import assert from 'node:assert/strict';
import { openCollection } from '../../tests/support/collection.ts';
import { mariadb, startMariadb } from '../../tests/support/mariadb.ts';
import { queryParquet } from '../../tests/support/parquet.ts';
import { openssl } from '../../tests/support/nginx.ts';
import { startTcpProxy } from '../../tests/support/tcp-proxy.ts';
import { testWith } from '../../tests/support/tools.ts';

const rowsIn = (text: string | undefined): Record<string, unknown>[] =>
  (text ?? '').split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));

testWith(
  [mariadb, openssl],
  'MariaDB: tables become JSON Lines, later runs read only new rows, faults have causes',
  async (t, _mariadb, opensslPath) => {
    const { config, sql, begin, certificate } = await startMariadb(t, { openssl: opensslPath });
    const bench = await openCollection(t);
    await sql(
      `create table things (id bigint unsigned, price decimal(40,10), at timestamp null, name varchar(20), raw blob, doc json, d double)`,
      `set time_zone = '+02:00'`,
      `insert into things values (18446744073709551615, 12345678901234567890.5, '2026-01-31 10:00:00', 'a\\n"b', x'deadbeef', '{"a":\\n1}', 1e30),
      (2, null, null, '高', null, null, null)`,
    );
    const id = await bench.task('mysql', { ...config, table: 'things' });
    const run = await bench.run(id);
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    const text = (await bench.contents(id))['things.jsonl'] ?? '';
    const [first, second] = text.split('\n');
    assert.match(
      first ?? '',
      /"id":18446744073709551615,"price":12345678901234567890\.5000000000,"at":"2026-01-31 08:00:00"/,
    );
    assert.match(first ?? '', /"name":"a\\n\\"b","raw":"3q2\+7w==","doc":.*,"d":1e30\}/);
    assert.deepEqual(JSON.parse(second ?? ''), {
      id: 2,
      price: null,
      at: null,
      name: '高',
      raw: null,
      doc: null,
      d: null,
    });
    assert.equal((await bench.run(id)).counts.dropped, 2);
    assert.equal(await bench.version(id), 2);

    const floats = [
      123456.7890625, 16777216, 0.5, -1.1754943508222875e-38, 3.4028234663852886e38, 1e10, 33554432, 7, 0,
    ];
    await sql(
      'create table f (id int, f float, u float unsigned, two float(9,2), d double, `position` float)',
      ...floats.map(
        (each, at) => `insert into f values (${at}, ${each}, ${Math.abs(each)}, 1234567.25, ${each}, ${each})`,
      ),
      'insert into f values (100, null, null, null, null, null)',
    );
    const want = [...floats.map((each) => [each, Math.abs(each), each, each]), [null, null, null, null]];
    for (const format of ['JSONL', 'PARQUET']) {
      const from = { ...config, query: 'select * from f order by id', format, fileName: 'f' };
      const kept = await bench.task('mysql', from);
      await bench.run(kept);
      const [path = ''] = Object.keys(await bench.contents(kept));
      const read =
        format === 'JSONL'
          ? rowsIn((await bench.contents(kept))[path]).map(({ f, u, d, position }) => [f, u, d, position])
          : await queryParquet(await bench.bytes(kept, path), 'select f, u, d, "position" from file order by id');
      assert.deepEqual(read, want, format);
      if (format === 'JSONL') assert.equal(rowsIn((await bench.contents(kept))[path])[0]?.['two'], 1234567.25);
    }
    const { sample: exact } = await bench.sources.test('mysql', { config: { ...config, table: 'f' } });
    assert.equal(exact[0]?.['f'], 123456.7890625);

    const longText = `select repeat('x', 9000000) as a, 'y' as b`;
    const long = await bench.task('mysql', { ...config, query: longText, fileName: 'long' });
    await bench.run(long);
    assert.equal((await bench.contents(long))['long.jsonl'], `{"a":"${'x'.repeat(9_000_000)}","b":"y"}\n`);
    const seen = await bench.sources.test('mysql', { config: { ...config, query: longText } });
    assert.deepEqual(seen.sample, [{ a: `${'x'.repeat(1000)}…`, b: 'y' }]);
    const joined = `select length(group_concat(repeat('z', 900))) as n, repeat('x', 20000000) as none from seq_1_to_10`;
    const warned = await bench.run(await bench.task('mysql', { ...config, query: joined, fileName: 'joined' }));
    assert.match(
      (await bench.logs(warned)).join('\n'),
      /The server warns: Result of repeat\(\) was larger than max_allowed_packet.*\(1301\)/,
    );
    const { sample: uncut } = await bench.sources.test('mysql', { config: { ...config, query: joined } });
    assert.equal(uncut[0]?.['n'], 9009, 'group_concat is not cut');

    await sql(
      `create table typed (t tinyint, u bigint unsigned, n decimal(10,3), big decimal(65,2), f float, d date, at datetime(3), ts timestamp null, tm time, y year,
        name varchar(20), raw varbinary(9), kind enum('a','b'), bits bit(9), doc json)`,
      `insert into typed values (-1, 18446744073709551615, 12.345, 1.25, 0.5, '2026-01-31', '2026-01-31 10:00:00.125', '2026-01-31 10:00:00', '10:00:01', 2026,
        '高', x'00ff', 'b', b'100000001', '{"a":1.10}'), (null, null, null, null, null, null, null, null, null, null, null, null, null, null, null)`,
    );
    const typed = await bench.task('mysql', { ...config, table: 'typed', format: 'PARQUET', incrementalColumn: 'd' });
    const typedRun = await bench.run(typed);
    assert.deepEqual([typedRun.status, typedRun.counts.kept], ['COMPLETED', 2], typedRun.error ?? '');
    assert.match((await bench.logs(typedRun)).join('\n'), /big \(decimal\(65,2\)\): 1 values/);
    const file = await bench.bytes(typed, 'typed/part-000001.parquet');
    assert.deepEqual(await queryParquet(file, 'select string_agg(column_type) from (describe file)'), [
      [
        'TINYINT,UBIGINT,DECIMAL(10,3),VARCHAR,FLOAT,DATE,TIMESTAMP,TIMESTAMP WITH TIME ZONE,TIME,SMALLINT,VARCHAR,BLOB,VARCHAR,BLOB,VARCHAR',
      ],
    ]);
    assert.deepEqual(
      await queryParquet(
        file,
        'select * replace (hex(raw) as raw, hex(bits) as bits, ts::varchar as ts) from file order by t',
      ),
      [
        [
          -1,
          '18446744073709551615',
          '12.345',
          '1.25',
          0.5,
          '2026-01-31',
          '2026-01-31 10:00:00.125',
          '2026-01-31 08:00:00+00',
          '10:00:01',
          2026,
          '高',
          '00FF',
          'b',
          '0101',
          '{"a":1.10}',
        ],
        Array.from({ length: 15 }, () => null),
      ],
    );
    await sql(`set sql_mode = ''`, `insert into typed (d, at) values ('2026-02-01', '0000-00-00')`);
    const zero = await bench.run(typed);
    assert.match((await bench.logs(zero)).join('\n'), /at \(TIMESTAMP\): 1 values/);
    const part = await bench.bytes(typed, 'typed/part-000002.parquet');
    assert.deepEqual(await queryParquet(part, 'select d, "at" from file'), [['2026-02-01', '0000-00-00 00:00:00.000']]);

    await sql(
      'create table events (id bigint, word varchar(20))',
      `insert into events values (9007199254740993, 'a'), (9007199254740992, 'A'), (1, 'b')`,
    );
    for (const [incrementalColumn, late, expected] of [
      ['id', `insert into events values (9007199254740993, 'late'), (9007199254740994, 'c'), (5, 'd')`, 2],
      ['word', `insert into events values (7, 'late'), (8, 'B'), (9, 'lates')`, 2],
    ] as const) {
      const task = await bench.task('mysql', {
        ...config,
        table: 'events',
        incrementalColumn,
        fileName: incrementalColumn,
      });
      await bench.run(task);
      assert.equal((await bench.run(task)).counts.in, 0);
      await sql(late);
      assert.equal((await bench.run(task)).counts.kept, expected, incrementalColumn);
    }

    await sql(
      `create table values_of (f float, n decimal(65,0), w varchar(9) character set latin1, b binary(2), t time)`,
      `insert into values_of values (1.2345679, 8e60, 'é', 'b', '10:00'), (1, 7, '\\'' , 'a', '1:00'), (null, null, null, 'c', null)`,
    );
    for (const [incrementalColumn, late] of [
      ['f', '1.2345679'],
      ['f', '1.234568'],
      ['n', '8e60'],
      ['n', '8e60 + 1'],
      ['w', `'é'`],
      ['w', `'\\''`],
      ['w', `'ü'`],
    ] as const) {
      await sql('create or replace table source_of_one as select * from values_of');
      const task = await bench.task('mysql', { ...config, table: 'source_of_one', incrementalColumn });
      assert.equal((await bench.run(task)).counts.kept, 3);
      await sql(`insert into source_of_one (${incrementalColumn}, b) values (${late}, 'z')`);
      const next = await bench.run(task);
      // A row that arrives late below the last value is missed: the column's values must only grow.
      assert.deepEqual([next.status, next.counts.kept], ['COMPLETED', late === `'\\''` ? 0 : 1], late);
      assert.match((await bench.logs(next)).join('\n'), /1 row has no value in/);
    }
    for (const incrementalColumn of ['b', 't']) {
      const refused = await bench.run(await bench.task('mysql', { ...config, table: 'values_of', incrementalColumn }));
      assert.match(refused.error ?? '', /can not be continued by .: it is no number, date or text/);
    }

    const ask = (change: object) => bench.sources.test('mysql', { config: { ...config, table: 'things', ...change } });
    const cases: readonly (readonly [change: object, problem: RegExp])[] = [
      [{ password: 'wrong' }, /refuses the user reader or the password/],
      [{ database: 'mysql' }, /does not let reader use the database mysql/],
      [{ incrementalColumn: 'gone' }, /There is no column gone/],
      [{ table: 'nothing' }, /Table 'source\.nothing' doesn't exist/],
      [{ table: undefined, query: 'select 1; select 2' }, /error in your SQL syntax/],
      [{ table: undefined, query: "select 1 into outfile '/tmp/x'" }, /error in your SQL syntax/],
      [{ tls: true, host: 'localhost' }, /TLS connection to .* failed: self-signed certificate/],
      [{ tls: true, certificateAuthority: certificate }, /TLS .* needs the server's name, not an address/],
      [{ port: 1027 }, /Nothing accepts connections/],
    ];
    for (const [change, problem] of cases) {
      const { ok, message } = await ask(change);
      assert.equal(ok, false, JSON.stringify(change));
      assert.match(message, problem);
      assert.ok(!message.includes('pass word'));
    }
    const encrypted = `select variable_value <> '' as n from information_schema.session_status where variable_name = 'Ssl_cipher'`;
    const secured = { tls: true, host: 'localhost', certificateAuthority: certificate };
    assert.deepEqual((await ask({ ...secured, table: undefined, query: encrypted })).sample, [{ n: 1 }]);
    for (const end of [';', '; -- done', ' # done', '; /* done; */ ;'])
      assert.deepEqual((await ask({ table: undefined, query: `select 1 as a${end}` })).sample, [{ a: 1 }], end);

    // Rows that commit late under a lower value are waited for; rows that arrive during the wait belong to the next
    // run.
    await sql('create table late (id int)', 'insert into late values (1), (3), (null)');
    const transaction = await begin('insert into late values (2)');
    const waits: number[] = [];
    const patient = await openCollection(t, {
      async pause(ms) {
        waits.push(ms);
        if (waits.length > 1) return;
        await transaction.commit();
        await sql('insert into late values (4)');
      },
    });
    const settled = { ...config, table: 'late', incrementalColumn: 'id', settleSeconds: 90 };
    const lateId = await patient.task('mysql', settled);
    assert.equal((await patient.run(lateId)).counts.kept, 4);
    const landed = rowsIn((await patient.contents(lateId))['late/part-000001.jsonl']);
    assert.deepEqual(
      landed.map((row) => row['id']),
      [null, 1, 2, 3],
    );
    assert.equal((await patient.run(lateId)).counts.kept, 1, 'the row that came during the wait');
    assert.deepEqual(waits, [90_000, 90_000]);

    await sql(`create table big as select seq as id, repeat('x', 200) as text from seq_1_to_30000`);
    const proxy = await startTcpProxy({ host: config.host, port: config.port });
    t.after(() => proxy.close());
    const cutting = await openCollection(t, { partBytes: 1_000_000 });
    const create = cutting.blobs.create.bind(cutting.blobs);
    let writesLeft = 5;
    let fault = (): unknown => proxy.cut();
    cutting.blobs.create = (options) => {
      const writer = create(options);
      const write = writer.write.bind(writer);
      writer.write = async (bytes) => {
        writesLeft -= 1;
        if (writesLeft === 0) await fault();
        return write(bytes);
      };
      return writer;
    };
    const big = await cutting.task('mysql', { ...config, port: proxy.port, table: 'big', incrementalColumn: 'id' });
    const cut = await cutting.run(big);
    assert.equal(cut.status, 'FAILED');
    assert.match(cut.error ?? '', /could not be read to its end: MySQL at .* closed the connection/);
    assert.ok(cut.counts.kept < 30_000);
    assert.equal((await cutting.run(big, { resume: true })).counts.kept, 30_000);
    assert.equal(proxy.open, 0, 'no connection stays open');
    const ids = Object.values(await cutting.contents(big))
      .flatMap(rowsIn)
      .map(({ id: each }) => each);
    assert.deepEqual([ids.length, new Set(ids).size], [30_000, 30_000]);

    // Without an incremental column, half of a table is of no use.
    writesLeft = 5;
    const whole = await cutting.task('mysql', { ...config, port: proxy.port, table: 'big' });
    assert.equal((await cutting.run(whole)).status, 'FAILED');
    assert.deepEqual(await cutting.contents(whole), {});
    assert.equal((await cutting.run(whole)).counts.kept, 30_000);

    writesLeft = 5;
    fault = () => {
      throw new Error('no space');
    };
    const endless = await cutting.task('mysql', {
      ...config,
      port: proxy.port,
      query: `select seq, repeat('x', 200) as text from seq_1_to_1000000000`,
    });
    const full = await cutting.run(endless);
    assert.equal(full.status, 'FAILED');
    assert.match(full.error ?? '', /The service failed/);
    assert.equal(proxy.open, 0, 'nobody waits for rows that nobody reads');

    // An administrator ends the sessions, then the whole server: the rows read so far are kept, and the error names the
    // cause.
    const ending = async (statement: string, told: RegExp, resume: boolean): Promise<void> => {
      writesLeft = 5;
      fault = () => sql(statement);
      const cause = await cutting.run(ended, { resume });
      assert.equal(cause.status, 'FAILED');
      assert.match(cause.error ?? '', told);
      assert.ok(cause.counts.kept < 30_000);
    };
    const ended = await cutting.task('mysql', {
      ...config,
      // Too much to be in flight when the session ends.
      query: `select seq as id, repeat('x', 5000) as text from seq_1_to_30000`,
      incrementalColumn: 'id',
      fileName: 'ended',
    });
    await ending('kill user reader', /closed the connection/, false);
    await ending('shutdown', /closed the connection/, true);
    const gone = await cutting.run(ended, { resume: true });
    assert.match(gone.error ?? '', /nothing accepts connections/);
  },
);
