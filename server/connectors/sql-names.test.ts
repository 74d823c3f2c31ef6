// No name of a column meets one of the statements that connectors send.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import SqliteDatabase from 'better-sqlite3';
import { sharedCollection } from '../../tests/support/collection.ts';
import { hardNames, hardRow } from '../../tests/support/hard-names.ts';
import { isLongRun, sized } from '../../tests/support/long-tests.ts';
import { mariadb, startMariadb } from '../../tests/support/mariadb.ts';
import { queryParquet } from '../../tests/support/parquet.ts';
import { openssl } from '../../tests/support/nginx.ts';
import { postgres } from '../../tests/support/postgres.ts';
import { startSource } from '../../tests/support/postgresql-source.ts';
import { testWith } from '../../tests/support/tools.ts';

const shared = sharedCollection({ roots: [tmpdir()] });

const quotedBy =
  (mark: string) =>
  (name: string): string =>
    mark + name.replaceAll(mark, mark + mark) + mark;
const literal = (text: string): string => `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;

type Kind = {
  type: string;
  config: object;
  quote: (name: string) => string;
  table: string;
  names?: readonly string[];
};

/** Formats, and the columns by which later runs continue. */
const ways: Readonly<Record<string, readonly (string | undefined)[]>> = {
  JSONL: [undefined, ...['q', 'p', 'order', 'a"b', 'position', 'x'.repeat(63)].slice(0, sized(1, 6))],
  PARQUET: [undefined, ...(isLongRun ? ['q'] : [])],
};

/** Reads the row of hard names in each way that the connector has. */
async function checkNames({ type, config, quote, table, names = hardNames }: Kind): Promise<void> {
  const bench = await shared();
  const columns = ['id', ...names];
  const wanted = Object.fromEntries(columns.map((column) => [column, hardRow[column]]));
  const sources = [{ table }, { query: `select * from ${quote(table)} -- the end` }];
  for (const source of sources) {
    const { sample, message } = await bench.sources.test(type, { config: { ...config, ...source } });
    assert.deepEqual(sample, [wanted], message);
    for (const [format, columnsToFollow] of Object.entries(ways))
      for (const incrementalColumn of columnsToFollow) {
        const id = await bench.task(type, { ...config, ...source, format, incrementalColumn, fileName: 'x' });
        const run = await bench.run(id);
        const what = `${type} ${JSON.stringify(source)} ${format} ${incrementalColumn}`;
        assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 1], `${what}: ${run.error}`);
        const [path = ''] = Object.keys(await bench.contents(id));
        const bytes = await bench.bytes(id, path);
        if (format === 'JSONL') assert.deepEqual(JSON.parse(bytes.toString()), wanted, what);
        else {
          const [row] = await queryParquet(bytes, 'select * from file');
          assert.deepEqual(
            row?.map(String),
            columns.map((column) => String(hardRow[column])),
            what,
          );
        }
        if (incrementalColumn !== undefined) assert.equal((await bench.run(id)).counts.kept, 0, what);
      }
  }
}

testWith([postgres], 'PostgreSQL: no name of a column or table meets one of ours', async (t) => {
  const { config, sql } = await startSource(t);
  const quote = quotedBy('"');
  const text = hardNames.map((name) => `${quote(name)} text`).join(', ');
  const values = hardNames.map((name) => `E${literal(`of ${name}`)}`).join(', ');
  await sql(`create table q (id int, ${text}); insert into q values (1, ${values})`);
  await checkNames({ type: 'postgresql', config, quote, table: 'q' });
  await sql(`create type pair as (x int, y text);
    create table composite (id int, q pair, p pair, secret text); insert into composite values (1, (7, 'a'), (8, 'b'), 'keep me')`);
  const bench = await shared();
  const id = await bench.task('postgresql', { ...config, table: 'composite' });
  await bench.run(id);
  const row = { id: 1, q: { x: 7, y: 'a' }, p: { x: 8, y: 'b' }, secret: 'keep me' };
  assert.deepEqual(JSON.parse((await bench.contents(id))['composite.jsonl'] ?? ''), row);
});

testWith(
  [mariadb, openssl],
  'MariaDB: no name of a column or table meets one of ours',
  async (t, _mariadb, opensslPath) => {
    const { config, sql } = await startMariadb(t, { openssl: opensslPath });
    const quote = quotedBy('`');
    // The driver refuses this name, and says so.
    const names = hardNames.filter((name) => name !== '__proto__');
    // A table has at most 65,535 bytes of columns.
    const text = names.map((name) => `${quote(name)} varchar(90) character set utf8mb4`).join(', ');
    const values = names.map((name) => literal(`of ${name}`)).join(', ');
    await sql(`create table q (id int, ${text})`, `insert into q values (1, ${values})`);
    await checkNames({ type: 'mysql', config, quote, table: 'q', names });
  },
);

test('SQLite: no name of a column or table meets one of ours', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-source-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'source.db');
  const db = new SqliteDatabase(path);
  const quote = quotedBy('"');
  db.exec(`create table q (id integer, ${hardNames.map((name) => `${quote(name)} text`).join(', ')})`);
  db.prepare(`insert into q values (1, ${hardNames.map(() => '?').join(', ')})`).run(
    ...hardNames.map((name) => `of ${name}`),
  );
  db.close();
  await checkNames({ type: 'sqlite', config: { path }, quote, table: 'q' });
});
