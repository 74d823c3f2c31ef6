import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync, zstdDecompressSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { forAnyDatabase, openNewSqlite } from '../../../../tests/support/databases.ts';
import {
  openEngine,
  step,
  type EngineBench,
  type EngineBenchOptions,
  type RunRecipe,
} from '../../../../tests/support/engine.ts';
import type { Database } from '../../../storage/database/database.ts';
import { createSchemaCollector, typeOfKind } from '../../../tables/row-schema.ts';
import type { InputFile } from '../../index.ts';
import type { RecipeRun } from '../recipe-run.ts';
import { exportPaths, planExport } from './export-plan.ts';
import { folderOf } from '../../orders/output-folders.ts';
import { isLongRun } from '../../../../tests/support/long-tests.ts';

const steps = [step('whitespace-normalizer', { maxBlankLines: 1 }), step('text-length-filter', { min: 2, max: 1000 })];

async function open(t: TestContext, db: Database, options: EngineBenchOptions = {}): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-exports-'));
  const bench = await openEngine(db, directory, options);
  t.after(async () => {
    await bench.close();
    await rm(directory, { recursive: true });
  });
  return bench;
}

async function run(bench: EngineBench, files: readonly InputFile[], recipe: Partial<RunRecipe>): Promise<RecipeRun> {
  const { id } = await bench.execute(files, { steps, onError: 'SET_ASIDE', ...recipe });
  await bench.engine.start();
  return bench.ended(id);
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function parquetOf(t: TestContext, name: string): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, name);
  await query(
    `copy (select 9007199254740993 as id, 'p  one' as text, date '2024-05-06' as day union all select 2, 'x', null) to '${path}' (format parquet)`,
  );
  const { readFile } = await import('node:fs/promises');
  return readFile(path);
}

/** One file of each kind; the last row of a table has no line end. */
async function mixedSource(t: TestContext, bench: EngineBench): Promise<InputFile[]> {
  return [
    await bench.put(
      'a.jsonl',
      '{"id":12345678901234567890,"text":"a  b","n":1.50}\r\n{"text":"x"}\n{broken\n{"text":"fine"}',
    ),
    await bench.put('b.csv.gz', gzipSync('id,text\n1,"c  ""d"""\n2,good\n')),
    await bench.put('c.json', '[\n {"text":"e  f",\n  "meta":{"lang":"zh"}}\n]'),
    await bench.put('d.txt', 'some  words\nof text'),
    await bench.put('e.html', '<html><body><p>a  page</p></body></html>'),
    await bench.put('f.parquet', await parquetOf(t, 'f.parquet')),
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
  const bench = await open(t, await openDb());
  const source = await mixedSource(t, bench);
  const ended = await run(bench, source, { output: { format: 'JSONL', shardBytes: 1 << 20 } });
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
  const bench = await open(t, await openDb());
  const source = (await mixedSource(t, bench)).slice(2);
  const ended = await run(bench, source, { output: { format: 'PARQUET', shardBytes: 1 << 20 } });
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  const [output, ...others] = bench.outputs();
  assert.equal(others.length, 0);
  assert.equal(output?.path, 'data/train-00000-of-00001.parquet');
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'out.parquet');
  await writeFile(path, await bench.bytesOf(output?.blobId ?? ''));
  const columns = await query(`describe select * from '${path}'`);
  assert.deepEqual(
    columns.map(({ column_name: name, column_type: type }) => `${String(name)} ${String(type)}`),
    ['text VARCHAR', 'meta STRUCT(lang VARCHAR)', 'path VARCHAR', 'id BIGINT', 'day VARCHAR'],
  );
  const rows = await query(`select text, meta.lang as lang, path, id, day from '${path}'`);
  assert.deepEqual(rows, [
    { text: 'e f', lang: 'zh', path: null, id: null, day: null },
    { text: 'some words\nof text', lang: null, path: 'd.txt', id: null, day: null },
    { text: 'a page', lang: null, path: 'e.html', id: null, day: null },
    { text: 'p one', lang: null, path: null, id: '9007199254740993', day: '2024-05-06' },
    { text: 'wide row', lang: null, path: null, id: null, day: null },
  ]);
});

forAnyDatabase('whole numbers that became floating-point ones are counted in the log', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const lines = [
    '{"text":"one","id":1727334455667788993,"v":1727334455667788993,"in":{"n":[9007199254740993]},"small":7}',
    '{"text":"two","id":2,"v":0.5,"in":{"n":[0.5]},"small":0.5}',
    '{"text":"three","id":3,"v":18446744073709551615,"in":{"n":[1]},"small":1}',
  ];
  const source = [await bench.put('a.jsonl', lines.join('\n'))];
  const ended = await run(bench, source, { textField: 'text', output: { format: 'PARQUET', shardBytes: 1 << 20 } });
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
  assert.deepEqual(await query(`select typeof(id) as type, id from '${path}' limit 1`), [
    { type: 'BIGINT', id: '1727334455667788993' },
  ]);
});

forAnyDatabase('columns of unlike types are JSON text, and the log names them', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = [
    await bench.put('a.jsonl', '{"text":"one","v":1}\n{"text":"two","v":"z"}\n{"text":"three","v":[1,{"a":2}]}\n'),
  ];
  const ended = await run(bench, source, { output: { format: 'PARQUET', shardBytes: 1 << 20 } });
  assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'out.parquet');
  await writeFile(path, await bench.bytesOf(bench.outputs()[0]?.blobId ?? ''));
  assert.deepEqual(await query(`select v from '${path}'`), [{ v: '1' }, { v: '"z"' }, { v: '[1,{"a":2}]' }]);
  const log = await bench.db.read.selectFrom('run_logs').select('message').where('level', '=', 'WARN').execute();
  assert.match(log.map(({ message }) => message).join('\n'), /unlike types.*: v$/);

  const similar = [await bench.put('b.jsonl', '{"text":"one","Text":"two"}\n')];
  const failed = await run(bench, similar, { output: { format: 'PARQUET', shardBytes: 1 << 20 }, textField: 'text' });
  assert.equal(failed.status, 'FAILED');
  assert.match(failed.error ?? '', /the columns text and Text differ only in case/);
});

function table(from: number, rows: number): string {
  return Array.from({ length: rows }, (_, row) => `{"id":${from + row},"text":"row  ${from + row}"}\n`).join('');
}

forAnyDatabase('files have their target size, and are the same for any workers', async (t, openDb) => {
  const db = await openDb();
  const results = new Map<string, Record<string, string>[]>();
  for (const format of isLongRun ? (['JSONL', 'JSONL_ZST', 'PARQUET'] as const) : (['JSONL', 'PARQUET'] as const)) {
    for (const workers of [1, 2]) {
      const bench = await open(t, db, { workers, shardBytes: 4000 });
      const source = [
        await bench.put('a.jsonl', table(0, 700)),
        await bench.put('b.jsonl.gz', gzipSync(table(700, 500))),
        await bench.put(
          'c.csv',
          `id,text\n${Array.from({ length: 300 }, (_, row) => `${1200 + row},row  ${1200 + row}`).join('\n')}`,
        ),
      ];
      const ended = await run(bench, source.slice(0, format === 'PARQUET' ? 2 : 3), {
        output: { format, shardBytes: 5000 },
      });
      assert.equal(ended.status, 'COMPLETED', ended.error ?? '');
      const files: Record<string, string> = {};
      let rows = '';
      for (const { path, blobId } of bench.outputs()) {
        const bytes = await bench.bytesOf(blobId);
        files[path] = bytes.toString('base64');
        if (format === 'JSONL')
          assert.ok(bytes.length <= 5000 && bytes.length > 1000, `${path}: ${bytes.length} bytes`);
        if (format !== 'PARQUET') rows += (format === 'JSONL' ? bytes : zstdDecompressSync(bytes)).toString();
      }
      const paths = Object.keys(files);
      assert.ok(paths.length > 5);
      assert.equal(
        paths[1],
        `data/train-00001-of-${String(paths.length).padStart(5, '0')}.${format === 'JSONL_ZST' ? 'jsonl.zst' : format.toLowerCase()}`,
      );
      if (format !== 'PARQUET') {
        const ids = rows
          .trimEnd()
          .split('\n')
          .map((line) => Number((JSON.parse(line) as { id: unknown }).id));
        assert.deepEqual(
          ids,
          Array.from({ length: 1500 }, (_, id) => id),
        );
      }
      results.set(format, [...(results.get(format) ?? []), files]);
      // The ledger numbers rows as in their files.
      const { entries } = await bench.engine.readLedger(ended, { filePath: 'a.jsonl', row: 650 }, { page: 0, size: 5 });
      assert.deepEqual(
        entries.map(({ row, line }) => [row, line]),
        [[650, 650]],
      );
    }
  }
  for (const [format, [one, other]] of results) assert.deepEqual(other, one, format);
});

test('files end before the unit that would make them too large', () => {
  const shards = [
    {
      shardNo: 0,
      units: [
        [60, 1],
        [60, 1],
      ] as const,
    },
    { shardNo: 1, units: [] },
    {
      shardNo: 2,
      units: [
        [30, 2],
        [200, 1],
        [5, 1],
      ] as const,
    },
  ];
  assert.deepEqual(planExport(shards, 100), [
    { ranges: [{ shardNo: 0, start: 0, end: 60 }], sizeBytes: 60, rows: 1 },
    {
      ranges: [
        { shardNo: 0, start: 60, end: 120 },
        { shardNo: 2, start: 0, end: 30 },
      ],
      sizeBytes: 90,
      rows: 3,
    },
    { ranges: [{ shardNo: 2, start: 30, end: 230 }], sizeBytes: 200, rows: 1 },
    { ranges: [{ shardNo: 2, start: 230, end: 235 }], sizeBytes: 5, rows: 1 },
  ]);
  const paths = exportPaths(
    Array.from({ length: 12 }, () => ({})),
    'parquet',
  );
  assert.equal(paths[3], 'data/train-00003-of-00012.parquet');
  assert.deepEqual(exportPaths([{ folder: 'test' }, { folder: 'train' }, { folder: 'train' }], 'jsonl'), [
    'test/00000-of-00001.jsonl',
    'train/00000-of-00002.jsonl',
    'train/00001-of-00002.jsonl',
  ]);
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

forAnyDatabase('rows are in the folder of their part, near-duplicates together', async (t, openDb) => {
  const bench = await open(t, await openDb(), { shardBytes: 600 });
  const texts = Array.from(
    { length: 60 },
    (_, row) => `Text number ${row} tells of ${row * row} things, and of ${row} more`,
  );
  // Every fifth text is repeated with different spelling, far behind.
  const again = texts.filter((_, row) => row % 5 === 0).map((text) => `${text.toUpperCase()}!`);
  const lines = [...texts, ...again].map((text) => `${JSON.stringify({ text })}\n`).join('');
  const files = [await bench.put('a/rows.jsonl', lines), await bench.put('note.txt', 'A note of its own, in no table')];
  const finished = await run(bench, files, {
    steps: [step('split-writer', { train: 60, validation: 20, test: 20, column: 'part', threshold: 0.9 })],
    output: { format: 'JSONL', shardBytes: 1 << 20, folderBy: 'part' },
  });
  assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
  const written = await bench.result();
  assert.deepEqual(
    [...written.keys()],
    ['test/00000-of-00001.jsonl', 'train/00000-of-00001.jsonl', 'validation/00000-of-00001.jsonl'],
  );
  const folders = new Map<string, string>();
  for (const [path, content] of written) {
    for (const line of content.trimEnd().split('\n')) {
      const { text, part } = JSON.parse(line) as { text: string; part: string };
      assert.equal(path.split('/')[0], part);
      folders.set(text, part);
    }
  }
  assert.equal(folders.size, finished.counts.kept);
  for (const text of again)
    assert.equal(folders.get(text), folders.get(texts.find((one) => `${one.toUpperCase()}!` === text) ?? ''));
});

test('the folder of a value leads nowhere else', () => {
  const names = ['../up', '..', '', 'a/b\\c', 'zh 中文', null, 7, 'x'.repeat(300)].map(folderOf);
  assert.deepEqual(names, ['.._up', '_', '_', 'a_b_c', 'zh 中文', 'none', '7', 'x'.repeat(60)]);
});

forAnyDatabase('a column with very many values makes no folders: the run says so', async (t, openDb) => {
  const bench = await open(t, await openDb(), { shardBytes: 500 });
  const lines = Array.from({ length: 300 }, (_, id) => `${JSON.stringify({ id, text: 'Some words' })}\n`).join('');
  const finished = await run(bench, [await bench.put('rows.jsonl', lines)], {
    output: { format: 'PARQUET', shardBytes: 1 << 20, folderBy: 'id' },
  });
  assert.deepEqual(
    [finished.status, finished.error],
    ['FAILED', '"id" has more than 200 values: files can not have a folder for each; choose another column'],
  );
});

forAnyDatabase('documents that become rows take the columns that steps write', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const files: InputFile[] = [];
  for (let at = 0; at < 20; at += 1) files.push(await bench.put(`a/${at}.txt`, `document ${at} says ${at * 7919}`));
  const recipe = await run(bench, files, {
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
