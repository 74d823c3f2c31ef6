// Cleaning against a bare loop that reads, parses and writes the same lines. `TILTH_BENCH_FULL=1` takes 200,000 documents and
// 1 GiB (and 4 GiB for the memory); the quick form 128 MiB. `TILTH_BENCH_SECTIONS` names the sections that are wanted.
import { execFile, spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeCorpus } from './corpus/corpus.ts';
import { comparePairs } from './pairs.ts';

type Figures = {
  seconds: number;
  cpuSeconds: number;
  documents: number;
  peakMib: number;
  idleMib: number;
  digest: string | null;
  steps?: { operatorId: string; ms: number }[];
};

const execute = promisify(execFile);
const program = fileURLToPath(new URL('cleaning-run.ts', import.meta.url));
const isFull = process.env['TILTH_BENCH_FULL'] === '1';
const sizeBytes = isFull ? 2 ** 30 : 128 * 2 ** 20;
const wanted = process.env['TILTH_BENCH_SECTIONS']?.split(',');

const directory = await mkdtemp(join(process.env['TILTH_BENCH_DIRECTORY'] ?? tmpdir(), 'tilth-bench-'));
try {
  const path = process.env['TILTH_BENCH_CORPUS'] ?? join(directory, 'corpus.jsonl');
  const corpus = existsSync(path) ? undefined : writeCorpus(path, { documents: isFull ? 200_000 : 0, sizeBytes });
  if (corpus !== undefined) console.log(`  corpus: ${corpus.documents} documents, ${mib(corpus.sizeBytes)} MiB`);
  const sections: Record<string, (path: string) => Promise<void>> = { reading, chains, scaling, memory, resume };
  for (const [name, section] of Object.entries(sections)) {
    if (wanted === undefined || wanted.includes(name)) await section(path);
  }
} finally {
  await rm(directory, { recursive: true });
}

/** Nothing is changed, or everything, on one core each. */
async function reading(path: string): Promise<void> {
  for (const chain of ['pass', 'touch']) {
    await comparePairs(
      `a chain that ${chain === 'pass' ? 'changes nothing' : 'changes every row'} against the bare loop, one core`,
      { name: chain, unit: 'MiB/s', run: async () => rateOf(path, await runChain(path, chain, { core: 1 })) },
      { name: 'loop', unit: 'MiB/s', run: async () => rateOf(path, await runFloor(path, 1)) },
    );
  }
}

async function chains(path: string): Promise<void> {
  for (const chain of ['five', 'minhash']) {
    const figures = await runChain(path, chain, { core: 1 });
    const { documents, seconds, peakMib } = figures;
    console.log(
      `  ${chain}, one core: ${Math.round(documents / seconds)} documents/s, ${rateOf(path, figures).toFixed(1)} MiB/s, peak ${Math.round(peakMib)} MiB`,
    );
    for (const { operatorId, ms } of figures.steps ?? []) console.log(`    ${operatorId}: ${Math.round(ms)} ms`);
  }
}

/** What a second worker brings, against what a second process of the bare loop brings in the same minute. */
async function scaling(path: string): Promise<void> {
  const gains: { engine: number; loop: number; ratio: number }[] = [];
  for (let pair = 0; pair < 3; pair += 1) {
    const one = await runChain(path, 'five', { workers: 1, withDigest: pair === 0 });
    const two = await runChain(path, 'five', { workers: 2, withDigest: pair === 0 });
    if (one.digest !== two.digest) throw new Error('Two workers wrote other bytes than one');
    const alone = await runFloor(path, undefined);
    const both = await Promise.all([runFloor(path, undefined), runFloor(path, undefined)]);
    const engine = one.seconds / two.seconds;
    const loop = (2 * alone.seconds) / Math.max(...both.map(({ seconds }) => seconds));
    gains.push({ engine, loop, ratio: engine / loop });
    console.log(`  two workers ${engine.toFixed(2)}×, two loops ${loop.toFixed(2)}×: ${(engine / loop).toFixed(2)}`);
  }
  gains.sort((left, right) => left.ratio - right.ratio);
  console.log(`scaling from one worker to two against two loops: ${gains[1]?.ratio.toFixed(2)}`);
}

/** The same at four times the size. */
async function memory(path: string): Promise<void> {
  const large = join(directory, 'large.jsonl');
  await execute('sh', ['-c', 'for i in 1 2 3 4; do cat "$1"; done > "$2"', 'sh', path, large]);
  const one = await runChain(path, 'five', {});
  const four = await runChain(large, 'five', {});
  await rm(large);
  console.log(
    `peak memory: ${Math.round(one.peakMib)} MiB at one size, ${Math.round(four.peakMib)} MiB at four (idle ${Math.round(one.idleMib)})`,
  );
}

/** From the start of the next process to its first checkpoint. */
async function resume(path: string): Promise<void> {
  const folder = await mkdtemp(join(directory, 'run-'));
  const args = [program, 'run', folder, path, 'five', '1'];
  const { changes } = await watch(args, 12);
  const { firstChange } = await watch(args, 2);
  await rm(folder, { recursive: true });
  console.log(`resume after SIGKILL at change ${changes}: first checkpoint ${firstChange} s after the engine starts`);
}

async function watch(args: readonly string[], killAt: number): Promise<{ changes: number; firstChange: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let changes = 0;
  let latest = '';
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('changed ')) continue;
    changes += 1;
    latest = line.slice('changed '.length);
    if (changes === killAt) child.kill('SIGKILL');
  }
  return { changes, firstChange: latest };
}

async function runFloor(path: string, core: number | undefined): Promise<Figures> {
  const output = join(directory, `loop-${core ?? Math.round(Math.random() * 1e9)}.jsonl`);
  const figures = await measure(['floor', path, output], core);
  await rm(output);
  return figures;
}

async function runChain(
  path: string,
  chain: string,
  { core, workers = 1, withDigest = false }: { core?: number; workers?: number; withDigest?: boolean },
): Promise<Figures> {
  const folder = await mkdtemp(join(directory, 'run-'));
  const figures = await measure(['run', folder, path, chain, String(workers)], core, withDigest);
  await rm(folder, { recursive: true });
  return figures;
}

async function measure(args: readonly string[], core: number | undefined, withDigest = false): Promise<Figures> {
  const pinned = core === undefined ? [] : ['taskset', '-c', String(core)];
  const [command = process.execPath, ...rest] = [...pinned, process.execPath, program, ...args];
  const env = { ...process.env, ...(withDigest ? { TILTH_BENCH_DIGEST: '1' } : {}) };
  const { stdout } = await execute(command, rest, { env, maxBuffer: 64 << 20 });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Figures;
}

function rateOf(path: string, { seconds }: Figures): number {
  return mib(sizeOf(path)) / seconds;
}

function sizeOf(path: string): number {
  return statSync(path).size;
}

function mib(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
