// Whole runs with a published operator in each lane of the sandbox against the same runs with it as a built-in one: the engine
// reads, parses, runs the steps in its workers, and writes results and ledger. `sandbox` measures only the calls.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageOf, readFolder } from '../scripts/operators/package-folder.ts';
import { builtModule } from '../server/kernel/built-modules.ts';
import type { InputFile, Step } from '../server/engine/index.ts';
import { digestOf, packFiles, toOperator } from '../server/operator-packages/index.ts';
import { parseParams } from '../server/operators/index.ts';
import { checkLane, type LaneName } from '../server/sandbox/index.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { openEngine, step, type EngineBench } from '../tests/support/engine.ts';
import { writeCorpus } from './corpus/corpus.ts';
import { readTreeCpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, type Side } from './pairs.ts';
import { builtInId, folderOf } from './published-operators.ts';

/** Amount of text for the fastest chain; slower chains take as long with a part of it. */
const mebibytes: Record<LaneName, number> = { FAST: 36, SAFE: 12 };
const targets: Record<LaneName, number> = { FAST: 0.5, SAFE: 0.05 };
const wanted = process.env['TILTH_BENCH_LANES']?.split(',');

type Pinned = { published: Step; builtIn: Step };
type Outcome = { samples: number; seconds: number; told: string };

const packages = new Map<string, Buffer>();
const links = await pin('link-remover');
const sentences = await pin('sentence-group-splitter');
type Chain = { name: string; share: number; steps: (of: 'published' | 'builtIn') => readonly Step[] };
const chains: readonly Chain[] = [
  { name: 'link-remover', share: 1, steps: (of) => [links[of]] },
  { name: 'sentence-group-splitter', share: 1 / 3, steps: (of) => [sentences[of]] },
  {
    name: 'link-remover among four built-in operators',
    share: 1 / 2,
    steps: (of) => [
      step('control-character-remover'),
      step('whitespace-normalizer'),
      links[of],
      step('special-character-ratio-filter'),
      step('text-length-filter'),
    ],
  },
];

printMachine();
const checked = checkLane();
if (checked.lane === 'SAFE') console.log(`The fast lane is left out: ${checked.why}`);
for (const lane of ['FAST', 'SAFE'] as const) {
  if ((lane === 'SAFE' || checked.lane === 'FAST') && wanted?.includes(lane) !== false) await measureLane(lane);
}

async function measureLane(lane: LaneName): Promise<void> {
  const directory = await mkdtemp(join(process.env['TILTH_BENCH_DIRECTORY'] ?? tmpdir(), 'tilth-bench-'));
  try {
    const corpus = join(directory, 'corpus.jsonl');
    writeCorpus(corpus, { documents: 0, sizeBytes: mebibytes[lane] << 20 });
    const db = await openDatabase({ file: join(directory, 'tilth.db') });
    const bench = await openEngine(db, directory, {
      workers: availableParallelism(),
      operatorsUrl: builtModule(new URL('published-operators.ts', import.meta.url)).href,
      sandbox: { lane, source: { read: async (digest) => packages.get(digest) } },
    });
    const bytes = await readFile(corpus);
    for (const chain of chains) {
      const end = bytes.lastIndexOf('\n', chain.share * bytes.length) + 1;
      await compare(bench, lane, chain, await bench.put('corpus.jsonl', bytes.subarray(0, end)));
    }
    await bench.close();
    await db.close();
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function compare(bench: EngineBench, lane: LaneName, chain: Chain, file: InputFile): Promise<void> {
  const { name, steps } = chain;
  let samples = 1;
  const told = new Set<string>();
  const sideOf = (of: 'published' | 'builtIn'): Side => ({
    name: of === 'published' ? lane : 'built-in',
    unit: 'samples/s',
    async run() {
      const outcome = await runOnce(bench, file, steps(of));
      ({ samples } = outcome);
      told.add(outcome.told);
      return outcome.samples / outcome.seconds;
    },
    cpu: {
      unit: { name: 'µs a sample', perSecond: 1e6 },
      read: () => readTreeCpuTimes(process.pid),
      amountOf: () => samples,
    },
  });
  const ratio = await comparePairs(`${name}, lane ${lane}`, sideOf('published'), sideOf('builtIn'));
  if (told.size !== 1) throw new Error(`The two sides came to different results: ${[...told].join(' and ')}`);
  console.log(
    `${name}: a whole run in lane ${lane} has ${ratio.toFixed(2)} of the speed of one with a built-in operator; target ${targets[lane]}`,
  );
}

async function runOnce(bench: EngineBench, file: InputFile, steps: readonly Step[]): Promise<Outcome> {
  const begun = performance.now();
  const ended = await bench.ended((await bench.execute([file], { steps, textField: 'text' })).id);
  const seconds = (performance.now() - begun) / 1000;
  if (ended.status !== 'COMPLETED') throw new Error(ended.error ?? ended.status);
  return { samples: ended.counts.in, seconds, told: JSON.stringify(ended.counts) };
}

/** The step of an example with its defaults, as a published operator and as a built-in one. */
async function pin(example: string): Promise<Pinned> {
  const files = await readFolder(folderOf(example));
  const { manifest } = await packageOf(folderOf(example));
  const parsed = parseParams(toOperator(manifest), {});
  if (!parsed.ok) throw new Error(parsed.problem.text);
  const digest = digestOf(files);
  packages.set(digest, packFiles(files));
  const { version } = manifest;
  const { params } = parsed;
  return {
    published: { operatorId: manifest.id, version, params, digest },
    builtIn: { operatorId: builtInId(example), version, params },
  };
}
