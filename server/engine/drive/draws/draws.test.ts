import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../../tests/support/engine.ts';
import { parquetOfTexts } from '../../../../tests/support/parquet.ts';
import { operators } from '../../../operators/index.ts';
import { profileSteps, type EngineOptions, type InputFile, type Recipe } from '../../index.ts';
import { sharesOf } from './draw.ts';
import { createLowest } from '../../orders/lowest.ts';
import { placeKey, priorityOf } from '../../orders/seeded-order.ts';

type Request = { seed: number; limit: number; where?: NonNullable<Recipe['where']> };

async function drawn(
  { engine }: EngineBench,
  files: readonly InputFile[],
  { seed, limit, ...recipe }: Request,
): ReturnType<EngineBench['engine']['preview']> {
  async function* inputs(): AsyncGenerator<readonly InputFile[]> {
    yield files;
  }
  const steps = [step('text-length-filter', { min: 1, max: 1000 })];
  return engine.preview({
    inputs: inputs(),
    steps,
    onError: 'KEEP',
    textField: null,
    limit,
    sample: { seed },
    ...recipe,
  });
}

const jsonl = (rows: number, name: string): string =>
  Array.from({ length: rows }, (_, row) => `{"id":${row},"text":"${name} ${row}"}\n`).join('');

const csv = (rows: number, name: string): string =>
  `id,text,n\n${Array.from({ length: rows }, (_, row) => `${row},"${name} ${row}${row % 3 === 0 ? '\nsecond, line' : ''}",${row}\n`).join('')}`;

/** Blocks of 512 bytes instead of 64 KiB, in rounds of the given sizes. */
const inBlocks = (...blockRounds: number[]): Partial<EngineOptions> => ({
  drawSizes: { wholeBytes: 0, blockBytes: 512, blockRounds },
});

test('the lowest of random numbers are a uniform sample', () => {
  const places = 60;
  const draws = 4000;
  const taken = Array.from({ length: places }, () => 0);
  let together = 0;
  for (let seed = 0; seed < draws; seed += 1) {
    const lowest = createLowest<number>(6);
    for (let place = 0; place < places; place += 1) {
      const priority = priorityOf(placeKey(seed, `file-${place % 5}`), Math.floor(place / 20) * 4096, place);
      assert.ok(priority >= 0 && priority < 1);
      lowest.add(priority, place);
    }
    const chosen = lowest.take().map(({ item }) => item);
    assert.equal(chosen.length, 6);
    for (const place of chosen) taken[place] = (taken[place] ?? 0) + 1;
    if (chosen.includes(7) && chosen.includes(8)) together += 1;
  }
  const expected = (draws * 6) / places;
  const chiSquare = taken.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 99.9 % of uniform samples stay below this at 59 degrees of freedom.
  assert.ok(chiSquare < 98, `chi² ${chiSquare}`);
  // Two neighbours are drawn together as often as any two: 4000 · 6/60 · 5/59 = 34.
  assert.ok(together > 15 && together < 60, `together ${together}`);
});

test('shares follow the totals, and what one part lacks the others give', () => {
  const of = (...strata: [total: number, most: number][]): number[] =>
    sharesOf(
      strata.map(([total, most]) => ({ total, most })),
      10,
    );
  assert.deepEqual(of([50, 10], [50, 10]), [5, 5]);
  assert.deepEqual(of([1, 1], [999, 10]), [0, 10]);
  assert.deepEqual(of([900, 3], [100, 10]), [3, 7]);
  assert.deepEqual(of([2, 2], [3, 3]), [2, 3]);
  assert.deepEqual(of([0, 0], [0, 0]), [0, 0]);
});

forAnyDatabase('random samples come from the whole input, the same for the same seed', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put('a.txt', 'a document'),
    await bench.put('b.jsonl', `\n${jsonl(400, 'b')}`),
    await bench.put('c.csv', csv(300, 'c')),
    await bench.put('d.png', 'no text'),
    await bench.put('e.parquet', await parquetOfTexts(Array.from({ length: 200 }, (_, row) => `e ${row}`))),
  ];
  const { samples, drawn: from, uncheckedFiles, steps } = await drawn(bench, files, { seed: 1, limit: 90 });
  assert.deepEqual([from, uncheckedFiles], [{ from: 901, total: 901, isExact: true }, []]);
  assert.equal(samples.length, 90);
  assert.equal(steps[0]?.in, 90);
  // Rows and lines are numbered as in a run.
  for (const { filePath, row, line, steps: traces } of samples) {
    if (row === null) continue;
    const index = row - 1;
    assert.ok(traces[0]?.before.text.startsWith(`${filePath[0]} ${index}`), `${filePath} ${row}`);
    if (filePath === 'b.jsonl') assert.equal(line, row + 1);
    if (filePath === 'c.csv') assert.equal(line, 2 + index + Math.ceil(index / 3));
  }
  const perFile = (path: string): number => samples.filter(({ filePath }) => filePath === path).length;
  assert.deepEqual([perFile('b.jsonl') + perFile('c.csv'), perFile('e.parquet'), perFile('d.png')], [70, 20, 0]);
  const again = await drawn(bench, files, { seed: 1, limit: 90 });
  assert.deepEqual(again.samples, samples);
  const other = await drawn(bench, files, { seed: 2, limit: 90 });
  assert.notDeepEqual(
    other.samples.map(({ filePath, row }) => [filePath, row]),
    samples.map(({ filePath, row }) => [filePath, row]),
  );
  // A smaller draw with the same seed is a subset of a larger one.
  const keys = new Set(samples.map(({ filePath, row }) => `${filePath} ${row}`));
  const fewer = await drawn(bench, files.slice(1, 3), { seed: 1, limit: 20 });
  const more = await drawn(bench, files.slice(1, 3), { seed: 1, limit: 70 });
  assert.equal(more.samples.filter(({ filePath, row }) => keys.has(`${filePath} ${row}`)).length, 70);
  assert.ok(fewer.samples.every(({ filePath, row }) => keys.has(`${filePath} ${row}`)));
});

forAnyDatabase('of large tables, blocks are drawn first: all of them hold each row once', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), inBlocks(100_000));
  const wide = Buffer.from(`\ufeff${csv(100, 'w')}`, 'utf16le');
  const files = [
    await bench.put('b.jsonl', jsonl(200, 'b')),
    await bench.put('c.csv', csv(300, 'c')),
    await bench.put('w.csv', wide),
    await bench.put('z.jsonl', Buffer.from(`\ufeff${jsonl(50, 'z')}`, 'utf16le')),
  ];
  const { samples, drawn: from, uncheckedFiles } = await drawn(bench, files, { seed: 3, limit: 1000 });
  assert.deepEqual(from, { from: 650, total: 650, isExact: true });
  assert.deepEqual(uncheckedFiles, ['b.jsonl', 'c.csv', 'w.csv', 'z.jsonl']);
  assert.deepEqual(
    samples.map(({ filePath, row }) => `${filePath} ${row}`),
    files.flatMap(({ path }, index) =>
      Array.from({ length: [200, 300, 100, 50][index] ?? 0 }, (_, row) => `${path} ${row + 1}`),
    ),
  );
  assert.ok(samples.every(({ verdict }) => verdict === 'KEPT'));
});

forAnyDatabase('a draw from some blocks estimates how many samples there are', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), inBlocks(40, 160));
  const rows = 20_000;
  const files = [await bench.put('b.jsonl', jsonl(rows / 2, 'b')), await bench.put('c.csv', csv(rows / 2, 'c'))];
  const places = new Map<number, number>();
  for (let seed = 0; seed < 20; seed += 1) {
    const { samples, drawn: from } = await drawn(bench, files, { seed, limit: 100 });
    assert.equal(samples.length, 100);
    assert.ok(from !== undefined && !from.isExact);
    assert.ok(from.from > 400 && from.from < 4000, `drawn from ${from.from}`);
    assert.ok(Math.abs(from.total - rows) < rows / 5, `${from.total} rows`);
    for (const { steps, verdict } of samples) {
      assert.equal(verdict, 'KEPT');
      const row = Number(/^. (\d+)/.exec(steps[0]?.before.text ?? '')?.[1]);
      const tenth = Math.floor((10 * row) / (rows / 2));
      places.set(tenth, (places.get(tenth) ?? 0) + 1);
    }
  }
  // Every tenth of the files is drawn equally often.
  assert.equal(places.size, 10);
  for (const count of places.values()) assert.ok(count > 120 && count < 290, [...places.values()].join(' '));
  // With few rows wanted, the first round of blocks is enough.
  const few = await drawn(bench, files, { seed: 1, limit: 10 });
  assert.ok(few.drawn !== undefined && few.drawn.from < 1000);
});

forAnyDatabase('compressed files are drawn from, too', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const files = [
    await bench.put('a.txt.gz', gzipSync('a document')),
    await bench.put('b.jsonl.gz', gzipSync(jsonl(100, 'b'))),
    await bench.put('c.jsonl', jsonl(50, 'c')),
    await bench.put('d.csv.gz', 'not compressed'),
  ];
  const { samples, drawn: from, uncheckedFiles } = await drawn(bench, files, { seed: 6, limit: 1000 });
  assert.deepEqual([from, uncheckedFiles], [{ from: 152, total: 152, isExact: true }, []]);
  assert.deepEqual(
    samples.filter(({ verdict }) => verdict === 'FAILED').map(({ filePath }) => filePath),
    ['d.csv.gz'],
  );
  assert.equal(samples.filter(({ filePath }) => filePath === 'b.jsonl.gz').length, 100);
  assert.equal(samples[0]?.texts[0]?.text, 'a document');
});

/** A bzip2 stream of rows `row 0` to `row 99`, and one of `row 100` to `row 119`. */
const bzip2Streams = [
  'QlpoOTFBWSZTWaoEcmcAAxtZgAAQUAB/8AIAlMowAPoQalPBPfqqgABRoyBo0yNApUqMmfqpo02h6psi9EXoi8EWyLjNa++35+9/7xx0zLgNjAGgyDINBgDYuA4OQBSAB5qqqqqudACpaFwHEtBgDctAyDUtAaDMtANjEtAHBeWgDOuaTWszMzMzqnBF3IvZF8EWyLRFsi2RbIvki/xdyRThQkKoEcmc',
  'QlpoOTFBWSZTWeBW+j4AAKpZgAAQUAB/8AIAlMogAGQk1Ugb9VDJ5TTQKlUYAAHqchDgIcBDAQ5CGb59e9t/mM2222266yCmCCkEDRVVVVHIQ3CH4IaBFEfiKIoiiLCPhdyRThQkOBW+j4A=',
].map((stream) => Buffer.from(stream, 'base64'));

forAnyDatabase('of compressed tables, the samples are drawn that a run reads', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const [first = Buffer.alloc(0)] = bzip2Streams;
  const both = Buffer.concat(bzip2Streams);
  const gzip = gzipSync(jsonl(3000, 'gzip'));
  const zstd = zstdCompressSync(jsonl(9000, 'zstd'));
  const behind = Buffer.from('bytes behind it');
  const tables = {
    'one.jsonl.bz2': first,
    'two.jsonl.bz2': both,
    'cut.jsonl.bz2': both.subarray(0, -20),
    'behind.jsonl.bz2': Buffer.concat([both, behind]),
    'cut.jsonl.gz': gzip.subarray(0, Math.floor(gzip.length * 0.7)),
    'behind.jsonl.gz': Buffer.concat([gzip, behind]),
    'behind.csv.gz': Buffer.concat([gzipSync(csv(50, 'c')), behind]),
    'behind.json.gz': Buffer.concat([gzipSync(`[${jsonl(50, 'j').trim().replaceAll('\n', ',')}]`), behind]),
    'cut.jsonl.zst': zstd.subarray(0, Math.floor(zstd.length * 0.9)),
    'behind.jsonl.zst': Buffer.concat([zstd, behind]),
  };
  await bench.engine.start();
  for (const [path, content] of Object.entries(tables)) {
    const file = await bench.put(path, content);
    const { id } = await bench.execute([file], { steps: [step('text-length-filter', { min: 1, max: 1000 })] });
    const run = await bench.ended(id);
    const { entries } = await bench.engine.readLedger(run, {}, { page: 0, size: 10_000 });
    const read = entries.map(({ row, line, verdict, reason }) => ({ row, line, verdict, reason }));
    const total = run.counts.in;
    assert.ok(total >= 50 && read.length === total, `${path}: ${read.length} of ${total}`);
    // Draws all samples, then as many as requested, each once.
    const all = await drawn(bench, [file], { seed: 1, limit: 10_000 });
    assert.deepEqual(all.drawn, { from: total, total, isExact: true }, path);
    assert.deepEqual(
      all.samples.map(({ row, line, verdict, reason }) => ({ row, line, verdict, reason: reason?.text ?? null })),
      read,
      path,
    );
    const some = await drawn(bench, [file], { seed: 2, limit: 30 });
    assert.deepEqual([some.drawn, some.samples.length], [{ from: total, total, isExact: true }, 30], path);
    const texts = new Map(all.samples.map(({ row, texts: [text] }) => [row, text]));
    for (const {
      row,
      texts: [text],
    } of some.samples)
      assert.deepEqual(text, texts.get(row), path);
    assert.equal(new Set(some.samples.map(({ row }) => row)).size, 30, path);
    for (const size of [30, 10_000]) {
      const request = { steps: profileSteps(operators), onError: 'SET_ASIDE', textField: null, size, seed: 1 } as const;
      const inputs = (async function* () {
        yield [file];
      })();
      const profiled = await bench.engine.profile({ ...request, inputs });
      assert.deepEqual(profiled.drawn, { from: total, total, isExact: true, uncheckedFiles: [] }, path);
      const { samples, failed } = profiled.figures;
      assert.equal(samples, Math.min(size, total), path);
      if (size > total) assert.equal(failed, run.counts.failed, path);
    }
  }
  const left = await readdir(bench.directory, { recursive: true });
  assert.deepEqual(
    left.filter((path) => path.endsWith('-unpacked')),
    [],
  );
});

forAnyDatabase(
  'rows that conditions exclude are not drawn, nor documents, which have no columns',
  async (t, openDb) => {
    const db = await openDb();
    for (const options of [{}, inBlocks(100_000)]) {
      const bench = await openBench(t, db, options);
      const files = [await bench.put('a.txt', 'a document'), await bench.put('b.jsonl', jsonl(300, 'b'))];
      const where = [{ field: 'id', op: 'LT' as const, value: 30 }];
      const { samples, drawn: from } = await drawn(bench, files, { seed: 4, limit: 100, where });
      assert.deepEqual(from, { from: 30, total: 30, isExact: true });
      assert.deepEqual(
        samples.map(({ row }) => row),
        Array.from({ length: 30 }, (_, row) => row + 1),
      );
    }
  },
);

forAnyDatabase('files that are no tables are one failed sample each', async (t, openDb) => {
  const db = await openDb();
  for (const options of [{}, inBlocks(100_000)]) {
    const bench = await openBench(t, db, options);
    const files = [
      await bench.put('a.csv', Buffer.alloc(3000, Buffer.from([0, 1, 2]))),
      await bench.put('b.parquet', 'not Parquet'),
      await bench.put('c.jsonl', ''),
      await bench.put('d.jsonl', '{"text":"fine"}\n{oops\n'),
    ];
    const { samples, drawn: from } = await drawn(bench, files, { seed: 5, limit: 10 });
    assert.deepEqual(from, { from: 4, total: 4, isExact: true });
    assert.deepEqual(
      samples.map(({ filePath, row, verdict }) => [filePath, row, verdict]),
      [
        ['a.csv', null, 'FAILED'],
        ['b.parquet', null, 'FAILED'],
        ['d.jsonl', 1, 'KEPT'],
        ['d.jsonl', 2, 'FAILED'],
      ],
    );
  }
});
