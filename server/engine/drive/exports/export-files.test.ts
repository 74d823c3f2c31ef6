// The files of an export: their size, their folders and their names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync, zstdDecompressSync } from 'node:zlib';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step } from '../../../../tests/support/engine.ts';
import { exportRows } from '../../../../tests/support/exports.ts';
import { exportPaths, planExport } from './export-plan.ts';
import { folderOf } from '../../orders/output-folders.ts';
import { isLongRun } from '../../../../tests/support/long-tests.ts';

function table(from: number, rows: number): string {
  return Array.from({ length: rows }, (_, row) => `{"id":${from + row},"text":"row  ${from + row}"}\n`).join('');
}

forAnyDatabase('files have their target size, and are the same for any workers', async (t, openDb) => {
  const db = await openDb();
  const results = new Map<string, Record<string, string>[]>();
  for (const format of isLongRun ? (['JSONL', 'JSONL_ZST', 'PARQUET'] as const) : (['JSONL', 'PARQUET'] as const)) {
    for (const workers of [1, 2]) {
      const bench = await openBench(t, db, { workers, shardBytes: 4000 });
      const source = [
        await bench.put('a.jsonl', table(0, 700)),
        await bench.put('b.jsonl.gz', gzipSync(table(700, 500))),
        await bench.put(
          'c.csv',
          `id,text\n${Array.from({ length: 300 }, (_, row) => `${1200 + row},row  ${1200 + row}`).join('\n')}`,
        ),
      ];
      const ended = await exportRows(bench, source.slice(0, format === 'PARQUET' ? 2 : 3), {
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

forAnyDatabase('rows are in the folder of their part, near-duplicates together', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 600 });
  const texts = Array.from(
    { length: 60 },
    (_, row) => `Text number ${row} tells of ${row * row} things, and of ${row} more`,
  );
  // Every fifth text is repeated with different spelling, far behind.
  const again = texts.filter((_, row) => row % 5 === 0).map((text) => `${text.toUpperCase()}!`);
  const lines = [...texts, ...again].map((text) => `${JSON.stringify({ text })}\n`).join('');
  const files = [await bench.put('a/rows.jsonl', lines), await bench.put('note.txt', 'A note of its own, in no table')];
  const finished = await exportRows(bench, files, {
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
  const bench = await openBench(t, await openDb(), { shardBytes: 500 });
  const lines = Array.from({ length: 300 }, (_, id) => `${JSON.stringify({ id, text: 'Some words' })}\n`).join('');
  const finished = await exportRows(bench, [await bench.put('rows.jsonl', lines)], {
    output: { format: 'PARQUET', shardBytes: 1 << 20, folderBy: 'id' },
  });
  assert.deepEqual(
    [finished.status, finished.error],
    ['FAILED', '"id" has more than 200 values: files can not have a folder for each; choose another column'],
  );
});
