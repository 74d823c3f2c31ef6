// Deduplication: the cost of a signature, and the time and memory of the reduction, at once and in partitions.
// `TILTH_BENCH_FULL=1` compares 1,000,000 and 2,000,000 documents, the quick form 100,000 and 200,000.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import type { LocalBytes } from '../server/engine/orders/shard.ts';
import { comparisonSizes } from '../server/engine/drive/sets/comparison-sizes.ts';
import type { PartitionFacts, PartitionWork } from '../server/engine/orders/partition-jobs.ts';
import { workOnPartition } from '../server/engine/work/sets/partition-work.ts';
import { reduceShards } from '../server/engine/work/sets/reduction.ts';
import { sectionOf } from '../server/engine/orders/sections.ts';
import { crc32 } from '../server/kernel/crc32.ts';
import { createSignatureCollector } from '../server/engine/work/sets/signatures.ts';
import { parseParams } from '../server/operators/index.ts';
import { minhashDeduplicator } from '../server/operators/deduplicators/minhash-deduplicator.ts';
import { createRandom } from './corpus/corpus.ts';

const documentsPerShard = 1000;

const parsed = parseParams(minhashDeduplicator, {});
if (!parsed.ok) throw new Error(parsed.problem.text);
const { params } = parsed;

type Comparison = { directory: string; shards: number; way: 'at once' | 'in partitions' };

/** Size and checksum of a shard's signatures, as stored in its row. */
const signedBytes = new Map<string, { sizeBytes: number; crc32: number }>();

/** Open files of a comparison, by path. */
const files = new Map<string, number>();

if (isMainThread) await measure();
else {
  const { known, ...comparison } = workerData as Comparison & { known: typeof signedBytes };
  compare(comparison, known);
}

async function measure(): Promise<void> {
  measureSigning();
  const base = process.env['TILTH_BENCH_FULL'] === '1' ? 1_000_000 : 100_000;
  const directory = await mkdtemp(join(process.env['TILTH_BENCH_DIRECTORY'] ?? tmpdir(), 'tilth-bench-'));
  try {
    for (const documents of [base, base * 2]) {
      const shards = documents / documentsPerShard;
      writeSignatures(directory, shards);
      for (const way of ['at once', 'in partitions', 'at once', 'in partitions'] as const) {
        await new Promise<void>((resolve, reject) => {
          const workerData = { directory, shards, way, known: signedBytes };
          const worker = new Worker(new URL(import.meta.url), { workerData });
          worker.once('error', reject);
          worker.once('exit', () => {
            resolve();
          });
        });
      }
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

function measureSigning(): void {
  const random = createRandom(1);
  const texts = Array.from({ length: 2000 }, () => textOf(random, 800));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const whole = minhashDeduplicator.all(params);
  const [keys, words] = [new Uint32Array(whole.keys), new Uint32Array(whole.words)];
  for (let round = 0; round < 4; round += 1) {
    const begun = performance.now();
    for (const text of texts) whole.sign({ text }, keys, words, '');
    const seconds = (performance.now() - begun) / 1000;
    if (round > 0) {
      console.log(
        `  signatures of 128 permutations: ${(bytes / 2 ** 20 / seconds).toFixed(0)} MiB/s, ${Math.round(texts.length / seconds)} documents/s`,
      );
    }
  }
}

/** A fifth of the documents are copies with a few words changed. */
function writeSignatures(directory: string, shards: number): void {
  const random = createRandom(2);
  const whole = minhashDeduplicator.all(params);
  let earlier = textOf(random, 40);
  for (let shard = 0; shard < shards; shard += 1) {
    const collector = createSignatureCollector(whole);
    for (let row = 0; row < documentsPerShard; row += 1) {
      const text = random() < 0.2 ? `${earlier} more` : textOf(random, 40);
      if (random() < 0.01) earlier = text;
      collector.take({ ordinal: row, piece: 0, row, path: '' }, { text });
    }
    const file = openSync(join(directory, `${shard}`), 'w');
    const bytes = collector.bytes(['corpus.jsonl']);
    writeSync(file, bytes);
    closeSync(file);
    signedBytes.set(`${shard}`, { sizeBytes: bytes.length, crc32: crc32(bytes) });
  }
}

/** In its own thread, so that memory of the signatures is not counted. */
function compare({ directory, shards, way }: Comparison, known: typeof signedBytes): void {
  const before = process.memoryUsage().rss;
  let peak = before;
  let beats = 0;
  const beat = (): void => {
    beats += 1;
    if (beats % 1000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
  };
  const begun = performance.now();
  const cpuBefore = process.threadCpuUsage();
  const { count, dropped } = (way === 'at once' ? reduceAtOnce : reduceInPartitions)(directory, shards, beat, known);
  const { user, system } = process.threadCpuUsage(cpuBefore);
  const seconds = (performance.now() - begun) / 1000;
  const mib = (peak - before) / 2 ** 20;
  console.log(
    `  reduction of ${count} documents ${way}, ${dropped} duplicates: ${((user + system) / 1e6).toFixed(1)} s of CPU, ${seconds.toFixed(1)} s, ${mib.toFixed(0)} MiB over idle, ${((mib * 2 ** 20) / count).toFixed(0)} bytes a document`,
  );
}

type Compared = { count: number; dropped: number };

function open({ path, offset }: Pick<LocalBytes, 'path' | 'offset'>) {
  const file = files.get(path) ?? openSync(path, 'r');
  files.set(path, file);
  return (target: Uint8Array, position: number): number => readSync(file, target, 0, target.length, offset + position);
}

function reduceAtOnce(directory: string, shards: number, beat: () => void): Compared {
  const opened = Array.from({ length: shards }, (_, shard) => ({
    read: open({ path: join(directory, `${shard}`), offset: 0 }),
    firstRow: shard * documentsPerShard,
  }));
  return reduceShards(minhashDeduplicator.all(params), opened, { write: beat, beat });
}

/** All jobs of the comparison, one after the other. */
function reduceInPartitions(directory: string, shards: number, beat: () => void, known: typeof signedBytes): Compared {
  const whole = minhashDeduplicator.all(params);
  let written = 0;
  const work = (job: PartitionWork<LocalBytes>): { file: LocalBytes; facts: PartitionFacts } => {
    const path = join(directory, `part-${(written += 1)}`);
    const output = openSync(path, 'w');
    const write = (bytes: Uint8Array): void => void writeSync(output, bytes);
    const facts = workOnPartition(whole, job, { open, write, beat });
    const { size: sizeBytes } = fstatSync(output);
    closeSync(output);
    files.delete(path);
    return { file: { path, offset: 0, sizeBytes, crc32: 0 }, facts };
  };
  const notes = Array.from({ length: shards }, (_, shard): LocalBytes => {
    const path = join(directory, `${shard}`);
    return { path, offset: 0, ...(known.get(`${shard}`) ?? { sizeBytes: 0, crc32: 0 }) };
  });
  const { fanIn, partitionSamples } = comparisonSizes;
  const cut = { slices: Math.ceil((shards * documentsPerShard) / partitionSamples), hasWords: false };
  const groups = Array.from({ length: Math.ceil(shards / fanIn) }, (_, group) => group * fanIn);
  const collated = groups.map((from) =>
    work({
      stage: 'COLLATE',
      cut,
      shards: notes.slice(from, from + fanIn).map((one, at) => ({ notes: one, shard: from + at })),
    }),
  );
  const matched = Array.from({ length: whole.keys * cut.slices }, (_, partition) =>
    work({
      stage: 'MATCH',
      cut,
      references: 0,
      parts: collated.map(({ file, facts }) => ({ file, section: sectionOf(facts.sections, partition) })),
      signed: notes,
    }),
  );
  const { facts } = work({
    stage: 'SETTLE',
    files: matched.map((one) => ({ file: one.file, sections: one.facts.sections })),
    shards: notes.map((one, shard) => ({ notes: one, firstRow: shard * documentsPerShard })),
    references: 0,
    counts: notes.map(() => documentsPerShard),
  });
  return { count: shards * documentsPerShard, dropped: facts.dropped ?? 0 };
}

function textOf(random: () => number, words: number): string {
  return Array.from({ length: words }, () => `word${Math.floor(random() * 20_000)}`).join(' ');
}
