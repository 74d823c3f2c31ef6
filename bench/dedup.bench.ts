// Deduplication: the cost of a signature, and the time and memory of the reduction. `TILTH_BENCH_FULL=1` compares
// 1,000,000 and 2,000,000 documents, the quick form 100,000 and 200,000.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { reduceShards } from '../server/engine/sets/reduction.ts';
import { createSignatureCollector } from '../server/engine/sets/signatures.ts';
import { parseParams } from '../server/operators/index.ts';
import { minhashDeduplicator } from '../server/operators/deduplicators/minhash-deduplicator.ts';
import { createRandom } from './corpus/corpus.ts';

const documentsPerShard = 1000;

const parsed = parseParams(minhashDeduplicator, {});
if (!parsed.ok) throw new Error(parsed.problem);
const { params } = parsed;

if (isMainThread) await measure();
else reduce(workerData as { directory: string; shards: number });

async function measure(): Promise<void> {
  measureSigning();
  const base = process.env['TILTH_BENCH_FULL'] === '1' ? 1_000_000 : 100_000;
  const directory = await mkdtemp(join(process.env['TILTH_BENCH_DIRECTORY'] ?? tmpdir(), 'tilth-bench-'));
  try {
    for (const documents of [base, base * 2]) {
      const shards = documents / documentsPerShard;
      writeSignatures(directory, shards);
      await new Promise<void>((resolve, reject) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: { directory, shards } });
        worker.once('error', reject);
        worker.once('exit', () => {
          resolve();
        });
      });
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
    writeSync(file, collector.bytes(['corpus.jsonl']));
    closeSync(file);
  }
}

/** In its own thread, so that memory of the signatures is not counted. */
function reduce({ directory, shards }: { directory: string; shards: number }): void {
  const before = process.memoryUsage().rss;
  let peak = before;
  const begun = performance.now();
  const opened = Array.from({ length: shards }, (_, shard) => {
    const file = openSync(join(directory, `${shard}`), 'r');
    const read = (target: Uint8Array, position: number): number => readSync(file, target, 0, target.length, position);
    return { read, firstRow: shard * documentsPerShard };
  });
  let beats = 0;
  const { count, dropped } = reduceShards(minhashDeduplicator.all(params), opened, {
    write() {
      peak = Math.max(peak, process.memoryUsage().rss);
    },
    beat() {
      beats += 1;
      if (beats % 1000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
    },
  });
  const seconds = (performance.now() - begun) / 1000;
  const mib = (peak - before) / 2 ** 20;
  console.log(
    `  reduction of ${count} documents, ${dropped} duplicates: ${seconds.toFixed(1)} s, ${mib.toFixed(0)} MiB over idle, ${((mib * 2 ** 20) / count).toFixed(0)} bytes a document`,
  );
}

function textOf(random: () => number, words: number): string {
  return Array.from({ length: words }, () => `word${Math.floor(random() * 20_000)}`).join(' ');
}
