// Runs over only the failed samples of an earlier run.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { forAnyDatabase, longForEachDatabase } from '../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../tests/support/engine.ts';
import type { InputFile, LedgerEntry, RecipeRun } from '../index.ts';

const normalizer = step('whitespace-normalizer', { maxBlankLines: 1 });
const careless = [step('word-thrower'), normalizer];

const textOf = (row: number): string => (row % 9 === 4 ? `throw  ${row}` : `row  ${row}`);

async function parquetOf(directory: string, rows: readonly (string | null)[]): Promise<Buffer> {
  const path = join(directory, 'made.parquet');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const values = rows.map((text, row) => `(${row}, ${text === null ? 'null' : `'${text}'`})`).join(', ');
  await connection.run(`copy (from (values ${values}) t(n, text)) to '${path}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
  return readFile(path);
}

/** Files of every kind with failing samples, and files without any. */
async function sourceOf(bench: EngineBench & { directory: string }): Promise<InputFile[]> {
  const numbers = Array.from({ length: 120 }, (_, row) => row);
  const lines = numbers.map((row) => (row % 25 === 7 ? '{broken' : `{"n":${row}.0,"text":"${textOf(row)}"}`));
  const cells = numbers.map((row) => (row % 17 === 3 ? `${row},"lone` : `${row},"${textOf(row)},  end"`));
  const wide = numbers.map((row) => `{"text":"${textOf(row)} ü"}`).join('\n');
  return Promise.all([
    bench.put('a.jsonl', `\n${lines.join('\n')}`),
    bench.put('b.csv', `n,text\r\n${cells.join('\r\n\r\n')}`),
    bench.put('c.jsonl', Buffer.from(`\ufeff${wide}`, 'utf16le')),
    bench.put('d.parquet', await parquetOf(bench.directory, [...numbers.map(textOf), null, 'last  one'])),
    bench.put('fine.jsonl', '{"text":"nothing  fails"}\n'),
    bench.put('fine.txt', 'nothing  fails'),
    bench.put('g.txt', 'throw  all'),
    bench.put('h.html', '<p>throw this</p>'),
    bench.put('i.jsonl.gz', gzipSync(wide).subarray(0, -12)),
    bench.put('ij.json', `[\n${numbers.map((row) => `{"text":"${textOf(row)}"}`).join(',\n')}\n]\n`),
    bench.put('j.jsonl.zst', Buffer.concat([zstdCompressSync(`${wide}\n`), zstdCompressSync(wide).subarray(0, 6)])),
  ]);
}

async function ledgerOf(bench: EngineBench, run: RecipeRun): Promise<LedgerEntry[]> {
  return (await bench.engine.readLedger(run, {}, { page: 0, size: 10_000 })).entries;
}

const withoutScores = ({ scores: _scores, ...entry }: LedgerEntry): object => entry;

forAnyDatabase('only the failed samples are processed, as a run over everything would', async (t, openDb) => {
  const db = await openDb();
  const results: string[] = [];
  for (const options of [
    { workers: 1, shardBytes: 1 << 22 },
    { workers: 2, shardBytes: 400 },
  ]) {
    const bench = await openBench(t, db, options);
    const source = await sourceOf(bench);
    const taskId = `task-${options.workers}`;
    const asked = { onError: 'SET_ASIDE', textField: 'text' } as const;
    const former = await bench.ended((await bench.execute(source, { ...asked, steps: careless }, { taskId })).id);
    assert.equal(former.error, null);
    const full = await bench.ended((await bench.execute(source, { ...asked, steps: [normalizer] })).id);
    const mended = { ...asked, steps: [normalizer] };
    const again = await bench.ended((await bench.execute(source, mended, { taskId, failedOf: former.id })).id);
    assert.equal(again.error, null);
    assert.equal(again.failedOf, former.id);

    const failed = (await ledgerOf(bench, former)).filter(({ verdict }) => verdict === 'FAILED');
    assert.equal(again.counts.in, failed.length);
    assert.equal(again.counts.in, again.counts.kept + again.counts.failed);
    const ids = new Set(failed.map(({ sampleId }) => sampleId));
    const expected = (await ledgerOf(bench, full)).filter(({ sampleId }) => ids.has(sampleId));
    const entries = await ledgerOf(bench, again);
    assert.deepEqual(entries.map(withoutScores), expected.map(withoutScores));
    assert.deepEqual(new Set(entries.map(({ verdict }) => verdict)), new Set(['CHANGED', 'KEPT', 'FAILED']));

    const result = await bench.result();
    const files = [
      'a.jsonl',
      'b.csv',
      'c.jsonl',
      'd.parquet',
      'g.txt',
      'h.html.md',
      'i.jsonl.gz',
      'ij.json',
      'j.jsonl.zst',
    ];
    assert.deepEqual([...result.keys()], files, 'files in which nothing failed are not written');
    const rescued = Array.from({ length: 120 }, (_, row) => row).filter((row) => row % 9 === 4);
    const lines = rescued.filter((row) => row % 25 !== 7).map((row) => `{"n":${row}.0,"text":"throw ${row}"}`);
    assert.equal(result.get('a.jsonl')?.trim(), lines.join('\n'));
    const cells = rescued.filter((row) => row % 17 !== 3).map((row) => `${row},"throw ${row}, end"`);
    assert.equal(result.get('b.csv')?.trimEnd(), ['n,text', ...cells].join('\r\n'));
    assert.equal(result.get('g.txt'), 'throw all');
    assert.deepEqual(
      JSON.parse(result.get('ij.json') ?? ''),
      rescued.map((row) => ({ text: `throw ${row}` })),
    );
    const packed = bench.outputs().find(({ path }) => path === 'j.jsonl.zst');
    assert.equal(
      zstdDecompressSync(await bench.bytesOf(packed?.blobId ?? '')).toString(),
      rescued.map((row) => `{"text":"throw ${row} ü"}\n`).join(''),
    );
    assert.equal(entries.at(-1)?.row, null, 'what is missing at the end failed before, and fails again');
    const { inputs } = await bench.engine.readInputs(again, { page: 0, size: 10 });
    const inEach = files.map((path) => entries.filter(({ filePath }) => `${filePath}.md`.startsWith(path)).length);
    assert.deepEqual(
      inputs.map(({ samples }) => samples),
      inEach,
    );
    const parquet = bench.outputs().find(({ path }) => path === 'd.parquet');
    results.push(JSON.stringify([...result].filter(([path]) => path !== 'd.parquet')));
    results.push((await bench.bytesOf(parquet?.blobId ?? '')).toString('base64'));

    const sample = entries.findLast(({ filePath }) => filePath === 'a.jsonl');
    const found = await bench.engine.findSample(again, sample?.sampleId ?? '');
    assert.ok(found !== undefined);
    assert.deepEqual(
      (await bench.engine.traceSample(again, found))?.texts.map(({ text }) => text),
      ['throw 112'],
    );

    // The samples that failed again are the input of the next run over failed samples.
    const third = await bench.ended((await bench.execute(source, mended, { taskId, failedOf: again.id })).id);
    assert.deepEqual(
      [third.error, third.counts.in, third.counts.failed],
      [null, again.counts.failed, again.counts.failed],
    );
    assert.deepEqual(
      (await ledgerOf(bench, third)).map(({ sampleId }) => sampleId),
      entries.filter(({ verdict }) => verdict === 'FAILED').map(({ sampleId }) => sampleId),
    );
  }
  assert.deepEqual(results.slice(2), results.slice(0, 2));
});

forAnyDatabase('of a run with KEEP, only what was set aside is processed; of one with DROP, all', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = [await bench.put('a.csv', 'n,text\n1,"throw  it"\n2,"lone\n3,fine\n')];
  for (const [onError, rows] of [
    ['KEEP', [2]],
    ['DROP', [1, 2]],
  ] as const) {
    const recipe = { steps: careless, onError };
    const former = await bench.ended((await bench.execute(source, recipe, { taskId: onError })).id);
    const options = { taskId: onError, failedOf: former.id };
    const again = await bench.ended((await bench.execute(source, { ...recipe, steps: [normalizer] }, options)).id);
    assert.equal(again.error, null);
    assert.deepEqual(
      (await ledgerOf(bench, again)).map(({ row }) => row),
      rows,
    );
    const mended = onError === 'KEEP' ? undefined : 'n,text\n1,"throw it"\n';
    assert.equal((await bench.result()).get('a.csv'), mended);
  }
});

forAnyDatabase('what fails or is dropped again leaves no empty file behind', async (t, openDb) => {
  const db = await openDb();
  for (const options of [{ shardBytes: 1 << 22 }, { shardBytes: 400 }]) {
    const bench = await openBench(t, db, options);
    const source = (await sourceOf(bench)).filter(({ path }) => !path.startsWith('fine'));
    const taskId = `task-${options.shardBytes}`;
    const asked = { onError: 'SET_ASIDE', textField: 'text' } as const;
    const former = await bench.ended((await bench.execute(source, { ...asked, steps: careless }, { taskId })).id);
    // Everything readable is now dropped, and the rest fails once more.
    const steps = [step('text-length-filter', { min: 500, max: 1000 })];
    const again = await bench.ended(
      (await bench.execute(source, { ...asked, steps }, { taskId, failedOf: former.id })).id,
    );
    assert.deepEqual([again.error, again.counts.in, again.counts.kept], [null, former.counts.failed, 0]);
    assert.ok(again.counts.dropped > 20 && again.counts.failed > 5);
    assert.deepEqual(bench.outputs(), []);
    const { db: opened } = bench;
    const parts = await opened.read.selectFrom('shards').select('outputs').where('run_id', '=', again.id).execute();
    assert.ok(
      parts.every(({ outputs }) => outputs === null),
      'no blob of a part is left',
    );
  }
});

longForEachDatabase('a file that failed as a whole is processed as a whole', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 200 });
  const rows = Array.from({ length: 40 }, (_, row) => `title ${row},body  ${row}`);
  const source = [await bench.put('a.csv', ['title,body', ...rows].join('\n'))];
  const former = await bench.ended((await bench.execute(source, { steps: careless }, { taskId: 'task' })).id);
  assert.deepEqual([former.counts.in, former.counts.failed], [1, 1]);
  const options = { taskId: 'task', failedOf: former.id };
  const recipe = { steps: careless, textField: 'body', onError: 'SET_ASIDE' } as const;
  // KEEP wrote the file unchanged.
  const kept = await bench.ended((await bench.execute(source, recipe, options)).id);
  assert.deepEqual([kept.error, kept.counts.in], [null, 0]);
  const dropped = { steps: careless, onError: 'SET_ASIDE' } as const;
  const other = await bench.ended((await bench.execute(source, dropped, { taskId: 'other' })).id);
  const again = await bench.ended((await bench.execute(source, recipe, { taskId: 'other', failedOf: other.id })).id);
  assert.deepEqual([again.error, again.counts.in, again.counts.kept], [null, 40, 40]);
  assert.equal((await bench.result()).get('a.csv'), ['title,body', ...rows].join('\n').replaceAll('  ', ' '));
});

longForEachDatabase(
  'failed rows that are not where they were fail the run, and nothing is written',
  async (t, openDb) => {
    const bench = await openBench(t, await openDb());
    const jsonl = await bench.put('a.jsonl', '{"text":"throw it"}\n{"text":"fine"}\n{"text":"throw"}\n');
    const parquet = await bench.put('b.parquet', await parquetOf(bench.directory, ['throw', 'fine']));
    const csv = await bench.put('c.csv', 'n,text\n1,throw\n');
    const source = [jsonl, parquet, csv];
    const recipe = { steps: careless, onError: 'SET_ASIDE' } as const;
    const former = await bench.ended((await bench.execute(source, recipe, { taskId: 'task' })).id);
    assert.equal(former.counts.failed, 4);
    const before = bench.outputs();
    const fails = async (
      files: readonly InputFile[],
      changes: object,
      why: RegExp,
      failedOf = former.id,
    ): Promise<void> => {
      const { id } = await bench.execute(files, { ...recipe, ...changes }, { taskId: 'task', failedOf });
      const run = await bench.ended(id);
      assert.equal(run.status, 'FAILED');
      assert.match(run.error ?? '', why);
      assert.deepEqual(bench.outputs(), before);
    };
    await fails([jsonl, parquet], {}, /no longer has all files/);
    await fails(source, { encoding: 'utf-16le' }, /can't be read as a table any more|do not begin where they did/);
    await fails(source, { textField: 'n' }, /b\.parquet can't be read as a table any more: .*holds INTEGER/);
    const other = await bench.put('a.jsonl', '{"text":"longer than before"}\n{"text":"fine"}\n');
    await fails([{ ...other, fileId: jsonl.fileId }, parquet, csv], {}, /a\.jsonl: 1 of 2 failed rows do not begin/);
    await fails(source, {}, /was deleted/, 'no-such-run');
  },
);

longForEachDatabase('deduplication compares the failed samples with each other; the log says so', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 60 });
  const texts = ['same', 'throw', 'other', 'throw', 'same', 'throw more'];
  const source = [await bench.put('a.jsonl', texts.map((text) => `{"text":"${text}"}\n`).join(''))];
  const exact = step('exact-deduplicator');
  const asked = { onError: 'SET_ASIDE' } as const;
  const former = await bench.ended(
    (await bench.execute(source, { ...asked, steps: [step('word-thrower'), exact] }, { taskId: 'task' })).id,
  );
  assert.deepEqual([former.counts.failed, former.counts.dropped], [3, 1]);
  const again = await bench.ended(
    (await bench.execute(source, { ...asked, steps: [exact] }, { taskId: 'task', failedOf: former.id })).id,
  );
  assert.equal(again.error, null);
  assert.deepEqual(
    (await ledgerOf(bench, again)).map(({ row, verdict, reason }) => [row, verdict, reason]),
    [
      [2, 'KEPT', null],
      [4, 'DROPPED', 'duplicate of a.jsonl, row 2'],
      [6, 'KEPT', null],
    ],
  );
  const { lines } = await bench.engine.listLogs(again.id, { page: 0, size: 100 });
  assert.ok(lines.some(({ level, message }) => level === 'WARN' && /compare the failed samples/.test(message)));
});

forAnyDatabase('stopped and resumed, it is still over the failed samples alone', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 200 });
  const texts = Array.from({ length: 200 }, (_, row) => (row % 2 === 0 ? `throw ${row}` : `row ${row}`));
  const source = [await bench.put('a.jsonl', texts.map((text) => `{"text":"${text}"}\n`).join(''))];
  const asked = { onError: 'SET_ASIDE' } as const;
  const former = await bench.ended(
    (await bench.execute(source, { ...asked, steps: [step('word-thrower')] }, { taskId: 'task' })).id,
  );
  const slow = { ...asked, steps: [step('slow-passer')] };
  const first = await bench.execute(source, slow, { taskId: 'task', failedOf: former.id });
  await new Promise<void>((resolve) => {
    const forget = bench.engine.onChange(first.id, () => {
      void bench.engine.findRun(bench.db.read, 'test', 'task', first.id).then((seen) => {
        if (seen === undefined || seen.counts.in < 10) return;
        forget();
        resolve();
      });
    });
  });
  await bench.engine.stopRun(first.id);
  const stopped = await bench.ended(first.id);
  assert.ok(stopped.counts.in < 100);
  const resumed = await bench.execute(source, slow, { taskId: 'task', resume: first.id });
  assert.equal(resumed.failedOf, former.id);
  const finished = await bench.ended(resumed.id);
  assert.deepEqual([finished.error, finished.counts.in, finished.counts.kept], [null, 100, 100]);
  const expected = texts.filter((text) => text.startsWith('throw')).map((text) => `{"text":"${text.toUpperCase()}"}\n`);
  assert.equal((await bench.result()).get('a.jsonl'), expected.join(''));
});
