import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { createTableViews, type ViewFacts } from './index.ts';
import { buildPlainIndex } from './plain-build.ts';

type Built = { facts: ViewFacts; values: Row[]; shown: Row[] };
type Row = Readonly<Record<string, unknown>>;

type BuildBoth = (text: string) => Promise<[own: Built, packed: Built]>;

/** Builds the same rows from a plain file and from a part of a pack file: the two take different build paths. */
async function openBoth(t: TestContext): Promise<BuildBoth> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-views-'));
  const views = createTableViews({ directory: join(directory, 'views') });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  t.after(async () => {
    views.close();
    connection.closeSync();
    instance.closeSync();
    await rm(directory, { recursive: true });
  });
  let count = 0;

  async function build(text: string, before: string): Promise<Built> {
    const name = `${(count += 1)}`;
    const path = join(directory, name);
    await writeFile(path, before + text);
    const [offset, sizeBytes] = [Buffer.byteLength(before), Buffer.byteLength(text)];
    const indexPath = join(directory, 'views', `${name}.index`);
    const source = { path, offset, sizeBytes, format: 'jsonl' } as const;
    const facts = await views.buildIndex({ source, indexPath });
    const columns = facts.columns.map((_, place) => `c${place}`).join(', ');
    const read = await connection.runAndReadAll(`select ${columns || 'null'} from read_parquet('${indexPath}')`);
    const table = { source, indexPath, searchPath: null, facts };
    const { rows: shown } = await views.readRows({
      table,
      where: [],
      search: '',
      sort: null,
      isUnreadable: false,
      listed: null,
      countMs: 0,
      offset: 0,
      limit: 100_000,
      maxCellCharacters: 1_000,
    });
    return { facts, values: read.getRowObjectsJson(), shown };
  }

  return async (text) => [await build(text, ''), await build(text, 'x\n')];
}

/** Compares row by row: diffing all rows at once takes minutes. */
function assertSame([own, packed]: readonly [Built, Built], message: string): void {
  assert.deepEqual({ ...own.facts, hasPlaces: undefined }, { ...packed.facts, hasPlaces: undefined }, message);
  for (const part of ['values', 'shown'] as const) {
    assert.equal(own[part].length, packed[part].length, message);
    for (const [index, row] of own[part].entries()) assert.deepEqual(row, packed[part][index], message);
  }
}

const plain = Array.from({ length: 5_000 }, (_, row) =>
  JSON.stringify({
    id: row,
    'the "name", 名': `text ${row} é 𠀀`,
    n: row % 3 === 0 ? row : row / 4,
    ...(row % 2 === 0 ? { list: [row, null], doc: { a: `${row}`, b: [{ c: row % 5 === 0 }] } } : {}),
    none: null,
    flag: row % 2 === 0,
  }),
);

test('an index made beside the file is the one made of its rows', async (t) => {
  const buildBoth = await openBoth(t);
  const [own, packed] = await buildBoth(`${plain.join('\n')}\n`);
  assert.deepEqual([own.facts.rows, own.facts.hasPlaces, packed.facts.hasPlaces], [5_000, true, undefined]);
  assertSame([own, packed], 'plain rows');
});

test('clean JSON Lines are read by the library, others are not', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-views-'));
  t.after(() => rm(directory, { recursive: true }));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const build = async (text: string): Promise<ViewFacts | undefined> => {
    const path = join(directory, 'a.jsonl');
    await writeFile(path, text);
    const source = { path, offset: 0, sizeBytes: Buffer.byteLength(text), format: 'jsonl' } as const;
    return buildPlainIndex(connection, source, join(directory, 'a.index'));
  };
  assert.equal((await build(plain.join('\n')))?.rows, 5_000);
  assert.equal(await build(`${plain.join('\n')}\nbroken`), undefined);
  assert.equal(await build('{"a":"\\ud800"}'), undefined);
  assert.equal(await build('{"a":8.500000000000001}'), undefined, 'its double is written otherwise');
  connection.closeSync();
  instance.closeSync();
});

test('types are guessed from the first rows, and again when later rows have others', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-views-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  t.after(async () => {
    connection.closeSync();
    instance.closeSync();
    await rm(directory, { recursive: true });
  });
  const path = join(directory, 'a.jsonl');
  const rowOf = (row: number): Record<string, unknown> => ({
    id: row < 5_000 ? row : row + 0.5,
    text: 'x'.repeat(200),
    ...(row < 7_000 ? {} : { late: `late ${row}` }),
  });
  await writeFile(path, Array.from({ length: 20_000 }, (_, row) => `${JSON.stringify(rowOf(row))}\n`).join(''));
  const source = { path, offset: 0, sizeBytes: (await stat(path)).size, format: 'jsonl' } as const;
  const indexPath = join(directory, 'a.index');
  // The first guess comes after 1 MiB; until then the ids are whole numbers and no `late` member has appeared.
  const facts = await buildPlainIndex(connection, source, indexPath, 1);
  assert.deepEqual(
    facts?.columns.map(({ type }) => type),
    ['DOUBLE', 'VARCHAR', 'VARCHAR'],
  );
  const read = await connection.runAndReadAll(`select c0, c2 from read_parquet('${indexPath}')`);
  const rows = read.getRows();
  assert.equal(rows.length, 20_000);
  for (const [row, values] of rows.entries()) {
    const { id, late = null } = rowOf(row);
    assert.deepEqual(values, [id, late]);
  }
});

test('what the library reads otherwise than we do is written by us', async (t) => {
  const buildBoth = await openBoth(t);
  for (const rows of [
    ['{"a":1}', '{"a":1,"a":2}'],
    ['{"a":1,"b":{"c":1,"c":2}}'],
    ['{"a":9007199254740993}', '{"a":1.0}', '{"a":1e3}'],
    ['{"a":12345678901234567890}', '{"a":-0.5}'],
    ['{"a":1e400}', '{"a":0.1}'],
    ['{"a":NaN}', '{"a":1}'],
    ['{"a":"\\u0000x","b":["\\u0000"]}', '{"a":"x"}'],
    ['{"a":"\\u0000x"}', '{"a":"\\ud800"}'],
    ['{"a":{"\\u0000":1}}', '{"\\u0000":1}'],
    ['{"a":{"\\ud800":1,"\\ud801":2}}', '{"a":{"x":"\\udc00"}}', '{"\\ud800":1}'],
    ['{"a":[0.1234567890123456789]}', '{"a":[1.5,12345678901.2345678901]}', '{"a":[1e-400]}'],
    ['{"a":1}', '{"a":1.00000000000000000001}'],
    ['{"a":8.500000000000001}', '{"a":8.5}'],
    ['{"a":"\\ud83d\\ude00"}', '{"a":"\\\\u0000 \\\\ud800"}', '{"a":"\\ud800"}'],
    ['{"a":"\\ud83d\\ude00"}', '{"a":"\\u00e9\\\\"}'],
    ['{"a":1,}', '{"a":2}'],
    [
      '{"a":"\u0001"}',
      '{"a":"\\x"}',
      '{"a":01}',
      '{"a":1.}',
      '{"a":.5}',
      '{"a":-}',
      '{"a":+1}',
      '{"a":tru}',
      '{"a":1}x',
    ],
    ['{"a":0.1234567890123456}', '{"a":0.99999999999999999999}', '{"a":1.000}', '{"a":-0}', '{"a":1e-7}'],
    ['{"\\u0061":1}', '{"a":2}', '{"名":"é"}', '{"\\u540d":"e"}'],
    ['{"b":1,"1":2}'],
    ['{"b":{"y":1,"x":[]},"c":[{"k":"v"},{"l":[true,null]}]}', '{"c":[],"b":{"x":[0.5],"z":{"q":"r"}}}', '{"d":null}'],
    ['{"a":1}', '', '   ', '{"a":2}\r', '{"a":3}'],
    ['{"a":1}', 'broken', '[1]', '{"a":3}'],
    ['{"a":1}', '{"A":2}'],
    ['{"":1}'],
    ['{"a":[1,"x"]}', '{"a":{"b":1}}'],
    ['{"a":[[1],[2.5]]}', '{"a":[]}', '{"a":null}'],
    ['{"a":{}}', '{"a":{"b":"x"}}', '{"a":{"c":null}}'],
    ['{"a":"2020-01-01","b":"1","c":"true"}'],
    ['{"s":1,"n":2,"l":3,"start":4,"problem":5}'],
    ['{}', '{}'],
    ['{"a":1} ', ' {"a":2}', '\t{"a":3}'],
    ['{"a":1}{"a":2}', '{"a":3}'],
    ['{"a":"x"}', '{"b":"only later"}', ...Array.from({ length: 30_000 }, (_, row) => `{"a":"${row}","late":${row}}`)],
  ]) {
    assertSame(await buildBoth(rows.join('\n')), rows.slice(0, 5).join('\n'));
  }
});
