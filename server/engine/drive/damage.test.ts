// Bytes damaged on disk are never cleaned as if they were right: they fail, with their file and place, and are left out
// of the result.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { foreign } from '../../kernel/sentences/index.ts';
import { damage, type DamageKind } from '../../../tests/faults/bit-flips/damage.ts';
import { createRandom } from '../../../tests/faults/random.ts';
import { openEngine, step, type EngineBench } from '../../../tests/support/engine.ts';
import type { EngineOptions, InputFile } from '../index.ts';
import { reduceShards } from '../work/sets/reduction.ts';
import { readShardDrops } from '../work/sets/verdict-writer.ts';
import { createSignatureCollector } from '../work/sets/signatures.ts';
import { StoredBytesDamaged } from '../orders/stored-bytes.ts';
import type { ReadAt } from '../../tables/lines.ts';
import type { WholeSet } from '../../operators/index.ts';
import { longTest } from '../../../tests/support/long-tests.ts';
import { openNewSqlite } from '../../../tests/support/databases.ts';

const cleaning = [step('whitespace-normalizer', { maxBlankLines: 1 })];
const shardBytes = 4000;

async function open(t: TestContext, options: Partial<EngineOptions> = {}): Promise<EngineBench> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-damage-'));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  const bench = await openEngine(db, directory, { shardBytes, ...options });
  t.after(async () => {
    await bench.close();
    await db.close();
    await rm(directory, { recursive: true });
  });
  return bench;
}

/** Damages a stored file; returns a function that restores it. */
async function damageFile(
  { blobs }: EngineBench,
  { blobId }: InputFile,
  kind: DamageKind = 'one-bit',
  part?: { offset: number; sizeBytes: number },
): Promise<() => Promise<void>> {
  const place = await blobs.localPath(blobId ?? '');
  const { path, offset, sizeBytes } = place;
  await place.release();
  const range =
    part === undefined
      ? { path, offset, sizeBytes }
      : { path, offset: offset + part.offset, sizeBytes: part.sizeBytes };
  return damage(kind, range, createRandom(7, kind, sizeBytes));
}

const rows = (count: number): string[] =>
  Array.from({ length: count }, (_, row) => `{"n":${row},"text":"row  ${row}"}`);

async function parquetOf(bench: EngineBench, name: string, rows = 3000): Promise<InputFile> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-damage-'));
  const path = join(directory, 'made.parquet');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run(
    `copy (select i as n, 'row  ' || i as text from range(${rows}) r(i)) to '${path}' (format parquet, row_group_size 1000)`,
  );
  connection.closeSync();
  instance.closeSync();
  const { readFile } = await import('node:fs/promises');
  const file = await bench.put(name, await readFile(path));
  await rm(directory, { recursive: true });
  return file;
}

const csv = `id,text\n${Array.from({ length: 400 }, (_, row) => `${row},"row  ${row}"`).join('\n')}\n`;

/** One file of every kind that has its own reader, and its number of samples when intact. */
async function everyKind(bench: EngineBench): Promise<[file: InputFile, samples: number][]> {
  return [
    [await bench.put('a-document.html', '<html><body><p>Some words of a page.</p></body></html>'), 1],
    [await bench.put('b-text.txt', 'some  words '.repeat(40)), 1],
    [await bench.put('c-rows.jsonl', rows(40).join('\n')), 40],
    [await bench.put('d-cells.csv', csv.slice(0, csv.indexOf('\n40,') + 1)), 40],
    [await bench.put('e-many-rows.jsonl', rows(400).join('\n')), 400],
    [await bench.put('f-many-cells.csv', csv), 400],
    [await bench.put('g-many-rows.ndjson', Buffer.from(`\ufeff${rows(300).join('\n')}`, 'utf16le')), 300],
    [await parquetOf(bench, 'h-columns.parquet'), 3000],
    [await bench.put('i-large-text.txt', 'more  words '.repeat(4000)), 1],
  ];
}

test('each kind of file that is damaged is one failed sample with its reason, and the others are cleaned', async (t) => {
  const bench = await open(t);
  const files = await everyKind(bench);
  const source = files.map(([file]) => file);
  const whole = await bench.ended((await bench.execute(source, { steps: cleaning })).id);
  assert.equal(whole.error, null);
  const all = files.reduce((sum, [, samples]) => sum + samples, 0);
  assert.equal(whole.counts.in, all);
  const intact = await bench.result();
  for (const [number, [file, samples]] of files.entries()) {
    await t.test(file.path, async () => {
      const undo = await damageFile(bench, file, 'one-bit');
      const onError = number % 2 === 0 ? 'KEEP' : 'DROP';
      const run = await bench.ended((await bench.execute(source, { steps: cleaning, onError })).id);
      assert.equal(run.error, null);
      assert.deepEqual([run.counts.in, run.counts.failed, run.counts.kept], [all - samples + 1, 1, all - samples]);
      const { entries } = await bench.engine.readLedger(run, { verdict: 'FAILED' }, { page: 0, size: 10 });
      assert.deepEqual(
        entries.map(({ filePath, row }) => [filePath, row]),
        [[file.path, null]],
      );
      const expected = `DAMAGED: ${file.path}: the stored bytes 0 to ${file.sizeBytes} are not those that were stored`;
      assert.ok(entries[0]?.reason?.startsWith(expected), entries[0]?.reason ?? '');
      const { lines } = await bench.engine.listLogs(run.id, { page: 0, size: 100 });
      assert.deepEqual(lines.filter(({ level }) => level === 'ERROR').length, 1);
      const result = await bench.result();
      assert.deepEqual(
        [...result.keys()],
        [...intact.keys()].filter((path) => path !== file.path && path !== `${file.path}.md`),
      );
      for (const [path, content] of result) assert.equal(content, intact.get(path), path);
      const preview = await bench.engine.preview({
        steps: cleaning,
        onError: 'KEEP',
        textField: null,
        limit: 2,
        inputs: (async function* () {
          yield [file];
        })(),
      });
      assert.equal(preview.samples[0]?.verdict, 'FAILED');
      assert.match(preview.samples[0]?.reason?.text ?? '', /^DAMAGED: /);
      assert.deepEqual(preview.uncheckedFiles, []);
      await undo();
    });
  }
});

test('a preview of a large table shows it unchecked, and says so', async (t) => {
  const bench = await open(t, { previewCheckedBytes: 1000 });
  const small = await bench.put('a.jsonl', rows(100).join('\n'));
  const large = await bench.put('b.jsonl', rows(50_000).join('\n'));
  const columns = await parquetOf(bench, 'c.parquet');
  const undo = await damageFile(bench, large);
  const shown = async (files: readonly InputFile[], limit: number) => {
    async function* inputs(): AsyncGenerator<readonly InputFile[]> {
      yield files;
    }
    const { samples, uncheckedFiles } = await bench.engine.preview({
      steps: cleaning,
      onError: 'KEEP',
      textField: null,
      limit,
      inputs: inputs(),
    });
    return [samples.length, samples.some(({ verdict }) => verdict === 'FAILED'), uncheckedFiles];
  };
  assert.deepEqual(await shown([small, large, columns], 3), [3, false, []]);
  assert.deepEqual(await shown([large, columns], 3), [3, false, ['b.jsonl']]);
  assert.deepEqual(await shown([columns], 3), [3, false, ['c.parquet']]);
  await undo();
});

longTest('content that is gone or cut off fails like content that is damaged', async (t) => {
  const bench = await open(t);
  const large = await bench.put('large.jsonl', rows(50_000).join('\n'));
  const text = await bench.put('text.txt', 'word '.repeat(300_000));
  for (const kind of ['truncated', 'removed'] as const) {
    const undone = [await damageFile(bench, large, kind), await damageFile(bench, text, kind)];
    const run = await bench.ended((await bench.execute([large, text], { steps: cleaning })).id);
    for (const undo of undone) await undo();
    assert.equal(run.error, null);
    assert.deepEqual([run.counts.in, run.counts.failed, run.counts.emitted], [2, 2, 0]);
  }
});

for (const [name, made, damagedAt] of [
  ['rows', (bench: EngineBench) => bench.put('big.jsonl', rows(100).join('\n')), -20],
  ['columns', (bench: EngineBench) => parquetOf(bench, 'big.parquet', 200), 10],
] as const) {
  longTest(
    `damage that befalls a file while a run goes on fails the run, which goes on where the file is mended: ${name}`,
    async (t) => {
      const bench = await open(t, { shardBytes: 300 });
      const file = await made(bench);
      const steps = [step('slow-passer'), ...cleaning];
      const expected = await bench.ended((await bench.execute([file], { steps })).id);
      assert.equal(expected.error, null);
      const [output] = bench.outputs();
      const bytes = await bench.bytesOf(output?.blobId ?? '');
      const started = await bench.execute([file], { steps }, { taskId: 'task' });
      await new Promise<void>((resolve) => {
        const look = (): void => {
          void bench.engine.findRun(bench.db.read, 'test', 'task', started.id).then((run) => {
            if ((run?.counts.in ?? 0) === 0) return;
            forget();
            resolve();
          });
        };
        const forget = bench.engine.onChange(started.id, look);
        look();
      });
      await bench.engine.stopRun(started.id);
      const stopped = await bench.ended(started.id);
      assert.ok(stopped.counts.in < expected.counts.in);
      const offset = damagedAt < 0 ? file.sizeBytes + damagedAt : damagedAt;
      const undo = await damageFile(bench, file, 'one-bit', { offset, sizeBytes: 1 });
      const resumed = await bench.execute([file], { steps }, { taskId: 'task', resume: started.id });
      const failed = await bench.ended(resumed.id);
      await undo();
      assert.equal(failed.status, 'FAILED');
      assert.match(failed.error ?? '', /^DAMAGED: big\.\w+: the stored bytes \d+ to \d+ are not those/);
      const mended = await bench.execute([file], { steps }, { taskId: 'task', resume: resumed.id });
      const finished = await bench.ended(mended.id);
      assert.equal(finished.error, null);
      assert.deepEqual(finished.counts, expected.counts);
      assert.deepEqual(await bench.bytesOf(bench.outputs()[0]?.blobId ?? ''), bytes);
    },
  );
}

test('no verdict of a step over the whole set is taken from notes that are damaged', () => {
  const whole: WholeSet = {
    keys: 1,
    words: 1,
    sign: ({ text }, keys) => {
      keys[0] = Number(text);
    },
    reduce: (_signatures, drop) => {
      for (const index of [1, 2, 5, 6])
        drop({ index, of: 0, score: 0.5, reason: (sample) => foreign(`like ${sample}`) });
    },
  };
  const shards = [0, 1, 2].map((number) => {
    const collector = createSignatureCollector(whole);
    for (let ordinal = 0; ordinal < 3; ordinal += 1)
      collector.take({ ordinal, piece: 0, row: ordinal, path: '' }, { text: String(number) });
    return { read: readerOf(collector.bytes([`${number}.jsonl`])), firstRow: 0 };
  });
  const written: Uint8Array[] = [];
  reduceShards(whole, shards, { write: (bytes) => written.push(Uint8Array.from(bytes)), beat: () => {} });
  const notes = Buffer.concat(written);
  const verdicts = [0, 1, 2].map((slot) => readShardDrops(readerOf(notes), notes.length, slot));
  assert.deepEqual(
    verdicts.map((drops) => [...drops.keys()]),
    [[1, 2], [2], [0]],
  );
  let caught = 0;
  for (let bit = 0; bit < notes.length * 8; bit += 1) {
    const damaged = Buffer.from(notes);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    for (const [slot, drops] of verdicts.entries()) {
      try {
        assert.deepEqual(readShardDrops(readerOf(damaged), damaged.length, slot), drops);
      } catch (error) {
        if (!(error instanceof StoredBytesDamaged)) throw error;
        caught += 1;
      }
    }
  }
  assert.ok(caught >= notes.length * 8, 'each bit matters to at least one shard');
});

function readerOf(bytes: Uint8Array): ReadAt {
  return (target, position) => {
    const part = bytes.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
}
