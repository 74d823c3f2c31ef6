// Runs that export rows: what the values and columns of all formats become.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { forAnyDatabase, openNewSqlite } from '../../../../tests/support/databases.ts';
import { openBench, openEngine, step, type EngineBench } from '../../../../tests/support/engine.ts';
import { exportRows } from '../../../../tests/support/exports.ts';
import { createSchemaCollector, typeOfKind } from '../../../tables/row-schema.ts';
import type { InputFile } from '../../index.ts';
import { askDuckDbForObjects, queryToParquet } from '../../../../tests/support/parquet.ts';

/** One file of each kind; the last row of a table has no line end. */
async function mixedSource(bench: EngineBench): Promise<InputFile[]> {
  return [
    await bench.put(
      'a.jsonl',
      '{"id":12345678901234567890,"text":"a  b","n":1.50}\r\n{"text":"x"}\n{broken\n{"text":"fine"}',
    ),
    await bench.put('b.csv.gz', gzipSync('id,text\n1,"c  ""d"""\n2,good\n')),
    await bench.put('c.json', '[\n {"text":"e  f",\n  "meta":{"lang":"zh"}}\n]'),
    await bench.put('d.txt', 'some  words\nof text'),
    await bench.put('e.html', '<html><body><p>a  page</p></body></html>'),
    await bench.put(
      'f.parquet',
      await queryToParquet(
        `select 9007199254740993 as id, 'p  one' as text, date '2024-05-06' as day union all select 2, 'x', null`,
      ),
    ),
    await bench.put('g.jsonl', Buffer.from('\ufeff{"text":"wide  row"}\n', 'utf16le')),
  ];
}

const expectedRows = [
  '{"id":12345678901234567890,"text":"a b","n":1.50}',
  '{"text":"fine"}',
  '{"id":"1","text":"c \\"d\\""}',
  '{"id":"2","text":"good"}',
  '{"text":"e f",   "meta":{"lang":"zh"}}',
  '{"text":"some words\\nof text","path":"d.txt"}',
  '{"text":"a page","path":"e.html"}',
  '{"id":9007199254740993,"text":"p one","day":"2024-05-06"}',
  '{"text":"wide row"}',
];

forAnyDatabase('rows of all formats become JSON Lines', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = await mixedSource(bench);
  const ended = await exportRows(bench, source, { output: { format: 'JSONL', shardBytes: 1 << 20 } });
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  assert.deepEqual(ended.counts, { in: 12, kept: 9, changed: 6, dropped: 2, failed: 1, emitted: 9 });
  const result = await bench.result();
  assert.deepEqual([...result.keys()], ['data/train-00000-of-00001.jsonl']);
  assert.deepEqual(result.get('data/train-00000-of-00001.jsonl')?.trimEnd().split('\n'), expectedRows);
  // None of the run's intermediate data stays.
  const { db } = bench;
  assert.equal((await db.read.selectFrom('exported_files').selectAll().execute()).length, 0);
  assert.equal(
    (await db.read.selectFrom('shards').select('outputs').where('outputs', 'is not', null).execute()).length,
    0,
  );
});

forAnyDatabase('rows of all formats become Parquet with united columns', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = (await mixedSource(bench)).slice(2);
  const ended = await exportRows(bench, source, { output: { format: 'PARQUET', shardBytes: 1 << 20 } });
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  const [output, ...others] = bench.outputs();
  assert.equal(others.length, 0);
  assert.equal(output?.path, 'data/train-00000-of-00001.parquet');
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'out.parquet');
  await writeFile(path, await bench.bytesOf(output?.blobId ?? ''));
  const columns = await askDuckDbForObjects(`describe select * from '${path}'`);
  assert.deepEqual(
    columns.map(({ column_name: name, column_type: type }) => `${String(name)} ${String(type)}`),
    ['text VARCHAR', 'meta STRUCT(lang VARCHAR)', 'path VARCHAR', 'id BIGINT', 'day VARCHAR'],
  );
  const rows = await askDuckDbForObjects(`select text, meta.lang as lang, path, id, day from '${path}'`);
  assert.deepEqual(rows, [
    { text: 'e f', lang: 'zh', path: null, id: null, day: null },
    { text: 'some words\nof text', lang: null, path: 'd.txt', id: null, day: null },
    { text: 'a page', lang: null, path: 'e.html', id: null, day: null },
    { text: 'p one', lang: null, path: null, id: '9007199254740993', day: '2024-05-06' },
    { text: 'wide row', lang: null, path: null, id: null, day: null },
  ]);
});

forAnyDatabase('whole numbers that became floating-point ones are counted in the log', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const lines = [
    '{"text":"one","id":1727334455667788993,"v":1727334455667788993,"in":{"n":[9007199254740993]},"small":7}',
    '{"text":"two","id":2,"v":0.5,"in":{"n":[0.5]},"small":0.5}',
    '{"text":"three","id":3,"v":18446744073709551615,"in":{"n":[1]},"small":1}',
  ];
  const source = [await bench.put('a.jsonl', lines.join('\n'))];
  const ended = await exportRows(bench, source, {
    textField: 'text',
    output: { format: 'PARQUET', shardBytes: 1 << 20 },
  });
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  const log = await bench.db.read.selectFrom('run_logs').select('message').where('level', '=', 'WARN').execute();
  assert.deepEqual(
    log.map(({ message }) => message),
    [
      'Whole numbers beyond 9007199254740991 became floating-point numbers, which may have other digits: their columns hold numbers of more than 64 bits or fractions; values by column: v 2, in 1',
    ],
  );
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'out.parquet');
  await writeFile(path, await bench.bytesOf(bench.outputs()[0]?.blobId ?? ''));
  assert.deepEqual(await askDuckDbForObjects(`select typeof(id) as type, id from '${path}' limit 1`), [
    { type: 'BIGINT', id: '1727334455667788993' },
  ]);
});

forAnyDatabase('columns of unlike types are JSON text, and the log names them', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = [
    await bench.put('a.jsonl', '{"text":"one","v":1}\n{"text":"two","v":"z"}\n{"text":"three","v":[1,{"a":2}]}\n'),
  ];
  const ended = await exportRows(bench, source, { output: { format: 'PARQUET', shardBytes: 1 << 20 } });
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'out.parquet');
  await writeFile(path, await bench.bytesOf(bench.outputs()[0]?.blobId ?? ''));
  assert.deepEqual(await askDuckDbForObjects(`select v from '${path}'`), [
    { v: '1' },
    { v: '"z"' },
    { v: '[1,{"a":2}]' },
  ]);
  const log = await bench.db.read.selectFrom('run_logs').select('message').where('level', '=', 'WARN').execute();
  assert.match(log.map(({ message }) => message).join('\n'), /unlike types.*: v$/);

  const similar = [await bench.put('b.jsonl', '{"text":"one","Text":"two"}\n')];
  const failed = await exportRows(bench, similar, {
    output: { format: 'PARQUET', shardBytes: 1 << 20 },
    textField: 'text',
  });
  assert.equal(failed.status, 'FAILED');
  assert.match(failed.error ?? '', /the columns text and Text differ only in case/);
});

test('columns have the type of all their values', () => {
  const collector = createSchemaCollector();
  collector.add({ a: 1, b: 'x', c: [1, null], d: {}, e: null, f: { x: 1 } });
  collector.add({ a: 1.5, b: null, c: [2.5], d: {}, e: true, f: { y: 'z' } });
  collector.add({ a: 2, g: [[]], h: 1, f: null });
  collector.add({ h: 'one' });
  assert.deepEqual(
    collector.schema().map(([name, kind]) => `${name} ${typeOfKind(kind)}`),
    [
      'a DOUBLE',
      'b VARCHAR',
      'c DOUBLE[]',
      'd JSON',
      'e BOOLEAN',
      'f STRUCT("x" BIGINT, "y" VARCHAR)',
      'g VARCHAR[][]',
      'h JSON',
    ],
  );
});

test('NaN makes a column one of floating-point numbers, and what Parquet does not hold is a failed row', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-exports-'));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  const bench = await openEngine(db, directory);
  t.after(async () => {
    await bench.close();
    await db.close();
    await rm(directory, { recursive: true });
  });
  const rows = [
    '{"text":"a  b","n":1,"all":NaN}',
    '{"text":"half \\ud83d","n":2}',
    '{"text":"twice","n":3,"in":{"a":1,"a":2}}',
    '{"text":"c","n":NaN,"all":NaN}',
  ].join('\n');
  const output = { format: 'PARQUET', shardBytes: 1 << 20 } as const;
  const source = [await bench.put('a.jsonl', rows)];
  const run = await bench.ended(
    (
      await bench.execute(source, {
        steps: [step('whitespace-normalizer', { maxBlankLines: 1 })],
        output,
        onError: 'KEEP',
      })
    ).id,
  );
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.equal(run.counts.failed, 2);
  const [file] = bench.outputs();
  const path = join(directory, 'out.parquet');
  await writeFile(path, await bench.bytesOf(file?.blobId ?? ''));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const found = await connection.runAndReadAll(`select text, n, typeof(n), isnan(n), isnan("all") from '${path}'`);
  connection.closeSync();
  instance.closeSync();
  assert.deepEqual(found.getRowsJson(), [
    ['a b', 1, 'DOUBLE', false, true],
    ['c', 'NaN', 'DOUBLE', true, true],
  ]);
});

forAnyDatabase('documents that become rows take the columns that steps write', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files: InputFile[] = [];
  for (let at = 0; at < 20; at += 1) files.push(await bench.put(`a/${at}.txt`, `document ${at} says ${at * 7919}`));
  const recipe = await exportRows(bench, files, {
    steps: [step('split-writer', { train: 60, validation: 20, test: 20, nearDuplicates: false, group: 'path' })],
    output: { format: 'JSONL', shardBytes: 1 << 20, folderBy: 'split' },
  });
  assert.deepEqual([recipe.counts.in, recipe.counts.failed, recipe.counts.dropped], [20, 0, 0]);
  const rows: { text: string; path: string; split: string }[] = [];
  for (const { path, blobId } of bench.outputs()) {
    for (const line of (await bench.bytesOf(blobId)).toString().trimEnd().split('\n')) {
      const row = JSON.parse(line) as (typeof rows)[number];
      assert.deepEqual(Object.keys(row), ['text', 'path', 'split']);
      assert.ok(path.startsWith(`${row.split}/`), path);
      rows.push(row);
    }
  }
  const sizeOf = (part: string): number => rows.filter(({ split }) => split === part).length;
  assert.deepEqual(['train', 'validation', 'test'].map(sizeOf), [12, 4, 4]);
  assert.equal(new Set(rows.map(({ path }) => path)).size, 20);
});
