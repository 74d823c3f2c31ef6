// Whole runs whose worker threads live in processes of their own, against the same runs with threads of this process; then runs with
// two workers against runs with one, each way.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtModule } from '../server/kernel/built-modules.ts';
import type { InputFile, Step } from '../server/engine/index.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { openEngine, step, type EngineBench } from '../tests/support/engine.ts';
import { writeCorpus } from './corpus/corpus.ts';
import { readTreeCpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, type Side } from './pairs.ts';

const mebibytes = 64;
const ways = ['processes', 'threads'] as const;

const chains: readonly { name: string; steps: readonly Step[] }[] = [
  { name: 'rows that are only rewritten', steps: [{ operatorId: 'toucher', version: '1.0.0', params: {} }] },
  {
    name: 'four operators',
    steps: [
      step('control-character-remover'),
      step('whitespace-normalizer'),
      step('special-character-ratio-filter'),
      step('text-length-filter'),
    ],
  },
];

printMachine();
const ends: (() => Promise<void>)[] = [];
const directory = await mkdtemp(join(process.env['TILTH_BENCH_DIRECTORY'] ?? tmpdir(), 'tilth-bench-'));
try {
  const corpus = join(directory, 'corpus.jsonl');
  writeCorpus(corpus, { documents: 0, sizeBytes: mebibytes << 20 });
  const bytes = await readFile(corpus);
  for (const { name, steps } of chains) {
    const [ours, other] = ways.map((way) => sideOf(bytes, steps, way, 1));
    if (ours !== undefined && other !== undefined) await comparePairs(`${name}, one worker`, ours, other);
  }
  const [{ steps } = { steps: [] }] = chains.slice(-1);
  for (const way of ways) {
    const [two, one] = [2, 1].map((workers) => sideOf(bytes, steps, way, workers));
    if (two !== undefined && one !== undefined) await comparePairs(`two workers in ${way}`, two, one);
  }
} finally {
  for (const end of ends) await end();
  await rm(directory, { recursive: true });
}

/** One side, with an engine and a database of its own, which stay open while it is compared. */
function sideOf(bytes: Buffer, steps: readonly Step[], workersIn: (typeof ways)[number], workers: number): Side {
  let opened: { bench: EngineBench; file: InputFile } | undefined;
  let samples = 1;

  async function open(): Promise<{ bench: EngineBench; file: InputFile }> {
    const folder = await mkdtemp(join(directory, 'engine-'));
    const db = await openDatabase({ file: join(folder, 'tilth.db') });
    const bench = await openEngine(db, folder, {
      workers,
      workersIn,
      workerMemoryMb: 1024,
      operatorsUrl: builtModule(new URL('cleaning-operators.ts', import.meta.url)).href,
    });
    ends.push(async () => {
      await bench.close();
      await db.close();
    });
    return { bench, file: await bench.put('corpus.jsonl', bytes) };
  }

  return {
    name: `${workersIn}, ${workers}`,
    unit: 'samples/s',
    async run() {
      opened ??= await open();
      const { bench, file } = opened;
      const begun = performance.now();
      const ended = await bench.ended((await bench.execute([file], { steps, textField: 'text' })).id);
      const seconds = (performance.now() - begun) / 1000;
      if (ended.status !== 'COMPLETED') throw new Error(ended.error ?? ended.status);
      samples = ended.counts.in;
      return samples / seconds;
    },
    cpu: {
      unit: { name: 'µs a sample', perSecond: 1e6 },
      read: () => readTreeCpuTimes(process.pid),
      amountOf: () => samples,
    },
  };
}
