// The table of docs/column-types.md is what the connectors make of each type of the real databases;
// `TILTH_WRITE_DOCS=1 npm test -- server/connectors/column-types` writes it.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import SqliteDatabase from 'better-sqlite3';
import { sharedCollection } from '../../tests/support/collection.ts';
import { mariadb, startMariadb } from '../../tests/support/mariadb.ts';
import { openssl } from '../../tests/support/nginx.ts';
import { queryParquet } from '../../tests/support/parquet.ts';
import { postgres } from '../../tests/support/postgres.ts';
import { startSource } from '../../tests/support/postgresql-source.ts';
import { testWith } from '../../tests/support/tools.ts';

const shared = sharedCollection({ roots: [tmpdir()] });
const page = new URL('../../docs/column-types.md', import.meta.url);

/** Types with a value that is hard to keep, as SQL of the database. */
type Case = readonly [type: string, value: string];

const ofPostgresql: readonly Case[] = [
  ['smallint', '-32768'],
  ['integer', '-2147483648'],
  ['bigint', '9007199254740993'],
  ['numeric(30,10)', '12345678901234567890.0123456789'],
  ['numeric', "'0.1234567890123456789012345678901234567890'"],
  ['real', "'0.1'"],
  ['double precision', "'NaN'"],
  ['money', "'1234.56'"],
  ['boolean', 'true'],
  ['text', "E'a\"\\\\ \\n高'"],
  ['varchar(20)', "'a '"],
  ['char(5)', "'ab'"],
  ['date', "'1850-01-01'"],
  ['timestamptz', "'2024-02-29 12:00:00.123456+02'"],
  ['timestamp', "'2024-02-29 12:00:00.123456'"],
  ['time', "'24:00:00'"],
  ['timetz', "'08:30:00+02'"],
  ['interval', "'1 month 2 days 3:04:05'"],
  ['bytea', "'\\x00ff'"],
  ['uuid', "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"],
  ['json', `'{"z":1.10,"z":12345678901234567890.5}'`],
  ['jsonb', `'{"n":1.10}'`],
  ['text[]', `array['a, b', null]`],
  ['bigint[]', 'array[9007199254740993, null]'],
  ['integer[][]', "'{{1,2},{3,4}}'"],
  ['inet', "'10.0.0.1/8'"],
  ['macaddr', "'08:00:2b:01:02:03'"],
  ['bit(4)', "B'1010'"],
  ['point', "'(1,2)'"],
  ['int4range', "'[1,5)'"],
  ['tsvector', "'a b'"],
  ['xml', "'<a>1</a>'"],
];

const ofMysql: readonly Case[] = [
  ['tinyint', '-128'],
  ['tinyint(1)', '1'],
  ['smallint unsigned', '65535'],
  ['int', '-2147483648'],
  ['bigint', '9007199254740993'],
  ['bigint unsigned', '18446744073709551615'],
  ['decimal(30,10)', '12345678901234567890.0123456789'],
  ['float', '0.1'],
  ['double', '1e300'],
  ['bit(10)', "b'1000000001'"],
  ['boolean', 'true'],
  ['varchar(20)', "'高\\n\"'"],
  ['char(5)', "'ab'"],
  ['text', "'a'"],
  ["enum('a','b')", "'b'"],
  ["set('a','b')", "'a,b'"],
  ['date', "'1850-01-01'"],
  ['datetime(6)', "'2024-02-29 12:00:00.123456'"],
  ['timestamp(3) null', "'2024-02-29 12:00:00.123'"],
  ['time(3)', "'838:59:58.999'"],
  ['year', '2024'],
  ['binary(3)', "x'00ff01'"],
  ['blob', "x'00ff'"],
  ['json', `'{"n":1.10}'`],
  ['point', 'point(1, 2)'],
];

const ofSqlite: readonly Case[] = [
  ['integer', '9223372036854775807'],
  ['real', '0.1'],
  ['real (a whole number)', '3.0'],
  ['text', "'高'"],
  ['blob', "x'00ff'"],
  ['numeric', '12.50'],
  ['boolean', 'true'],
  ['date', "'2024-02-29'"],
  ['no type, an integer', '7'],
  ['no type, a text', "'seven'"],
  ['json', `'{"n":1.10}'`],
];

type Kept = { type: string; lines: string; parquet: string };

/** What a table with one column per case becomes in both formats. */
async function readCases(connector: string, config: object, cases: readonly Case[]): Promise<Kept[]> {
  const bench = await shared();
  const fileOf = async (format: string): Promise<{ bytes: Buffer; logs: string }> => {
    const id = await bench.task(connector, { ...config, table: 't', format, fileName: format });
    const run = await bench.run(id);
    assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 1], run.error ?? '');
    const [path = ''] = Object.keys(await bench.contents(id));
    return { bytes: await bench.bytes(id, path), logs: (await bench.logs(run)).join('\n') };
  };
  const lines = (await fileOf('JSONL')).bytes.toString().trim();
  const { bytes, logs } = await fileOf('PARQUET');
  const types = (await queryParquet(bytes, 'select column_type from (describe file)')).flat().map(String);
  const columns = cases.map((_case, index) => `c${index}`);
  const [values = []] = await queryParquet(
    bytes,
    `select ${columns.map((name) => `${name}::varchar`).join(', ')} from file`,
  );
  return cases.map(([type], index) => {
    const name = `c${index}`;
    const token = new RegExp(`"${name}":(.*?)(?:,"c${index + 1}":|}$)`, 's').exec(lines)?.[1];
    assert.ok(token !== undefined, `${type} is in no line`);
    const isNamed = new RegExp(`\\b${name} \\(`).test(logs);
    const parquetType = types[index] ?? '';
    const value = values[index] ?? null;
    return {
      type,
      lines: token,
      parquet: `${parquetType}: ${value === null ? 'null' : textOf(value)}${isNamed ? ' (named in the log)' : ''}`,
    };
  });
}

/** DuckDB gives text for each value that is cast to it. */
function textOf(value: unknown): string {
  assert.ok(typeof value === 'string');
  return value;
}

const cell = (text: string): string => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|').replaceAll('\n', '⏎')}\``;

function tableOf(cases: readonly Case[], kept: readonly Kept[]): string {
  const rows = kept.map(({ type, lines, parquet }, index) => {
    const [parquetType = '', ...rest] = parquet.split(': ');
    const value = rest.join(': ').replace(/ \(named in the log\)$/, '');
    const note = parquet.endsWith(' (named in the log)') ? ', named in the run log' : '';
    return `| ${cell(type)} | ${cell(cases[index]?.[1] ?? '')} | ${cell(lines)} | ${cell(value)} as ${cell(parquetType)}${note} |`;
  });
  return ['| Type | Value in SQL | JSON Lines | Parquet |', '|---|---|---|---|', ...rows].join('\n');
}

/** Compares the section of a database in the page, or writes it. */
async function compare(title: string, table: string): Promise<void> {
  const text = await readFile(page, 'utf8');
  const start = text.indexOf(`## ${title}\n`);
  assert.notEqual(start, -1, `the page has a section ${title}`);
  const begin = start + `## ${title}\n`.length;
  const next = text.indexOf('\n## ', begin);
  const end = next === -1 ? text.length : next + 1;
  const section = `\n${table}\n${next === -1 ? '' : '\n'}`;
  if (process.env['TILTH_WRITE_DOCS'] === '1') await writeFile(page, text.slice(0, begin) + section + text.slice(end));
  else assert.equal(text.slice(begin, end), section, `docs/column-types.md is out of date: ${title}`);
}

testWith([postgres], 'the page tells what each type of PostgreSQL becomes', async (t) => {
  const { config, sql } = await startSource(t);
  const columns = ofPostgresql.map(([type], index) => `c${index} ${type}`).join(', ');
  await sql(`create table t (${columns}); insert into t values (${ofPostgresql.map(([, value]) => value).join(', ')})`);
  await compare('PostgreSQL', tableOf(ofPostgresql, await readCases('postgresql', config, ofPostgresql)));
});

testWith([mariadb, openssl], 'the page tells what each type of MariaDB becomes', async (t, _mariadb, opensslPath) => {
  const { config, sql } = await startMariadb(t, { openssl: opensslPath });
  const columns = ofMysql.map(([type], index) => `c${index} ${type}`).join(', ');
  await sql(`create table t (${columns})`, `insert into t values (${ofMysql.map(([, value]) => value).join(', ')})`);
  await compare('MySQL and MariaDB', tableOf(ofMysql, await readCases('mysql', config, ofMysql)));
});

test('the page tells what each type of SQLite becomes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-types-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'source.db');
  const db = new SqliteDatabase(path);
  const columns = ofSqlite.map(
    ([type], index) => `c${index} ${type.startsWith('no type') ? '' : type.replace(/ \(.*/, '')}`,
  );
  db.exec(
    `create table t (${columns.join(', ')}); insert into t values (${ofSqlite.map(([, value]) => value).join(', ')})`,
  );
  db.close();
  await compare('SQLite', tableOf(ofSqlite, await readCases('sqlite', { path }, ofSqlite)));
});
