import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { createTableViews, type ViewFacts } from './index.ts';
import { buildPlainIndex } from './plain-build.ts';

type Built = { facts: ViewFacts; rows: unknown[] };

/** The same rows as a file of its own and as a part of a pack, which is built in the other way. */
async function buildBoth(t: TestContext, text: string): Promise<[own: Built, packed: Built]> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-views-'));
  const views = createTableViews({ directory: join(directory, 'views') });
  t.after(async () => {
    views.close();
    await rm(directory, { recursive: true });
  });
  await mkdir(join(directory, 'views'));
  const build = async (name: string, before: string): Promise<Built> => {
    const path = join(directory, name);
    await writeFile(path, before + text);
    const [offset, sizeBytes] = [Buffer.byteLength(before), Buffer.byteLength(text)];
    const indexPath = join(directory, 'views', `${name}.index`);
    const facts = await views.buildIndex({ source: { path, offset, sizeBytes, format: 'jsonl' }, indexPath });
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const read = await connection.runAndReadAll(`select * from read_parquet('${indexPath}')`);
    const rows = read.getRowObjectsJson();
    connection.closeSync();
    instance.closeSync();
    return { facts, rows };
  };
  return [await build('own', ''), await build('packed', 'x\n')];
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
  const [own, packed] = await buildBoth(t, `${plain.join('\n')}\n`);
  assert.equal(own.facts.rows, 5_000);
  assert.deepEqual(own, packed);
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
  assert.equal(await build('{"a":"\\u0000"}'), undefined);
  connection.closeSync();
  instance.closeSync();
});

test('what the library reads otherwise than we do is written by us', async (t) => {
  for (const rows of [
    ['{"a":1}', '{"a":1,"a":2}'],
    ['{"a":1,"b":{"c":1,"c":2}}'],
    ['{"a":9007199254740993}', '{"a":1.0}', '{"a":1e3}'],
    ['{"a":12345678901234567890}', '{"a":-0.5}'],
    ['{"a":1e400}', '{"a":0.1}'],
    ['{"a":NaN}', '{"a":1}'],
    ['{"a":"\\u0000x"}', '{"a":"\\ud800"}'],
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
    const [own, packed] = await buildBoth(t, rows.join('\n'));
    assert.deepEqual(own, packed, rows.slice(0, 5).join('\n'));
  }
});
