// Cleaning against a bare loop that reads, parses and writes the same lines. `TILTH_BENCH_FULL=1` uses 200,000
// documents and 1 GiB (4 GiB for memory); the quick form 128 MiB. `TILTH_BENCH_SECTIONS` selects sections,
// `TILTH_BENCH_CORPUS` names an existing corpus.
import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeCorpus } from './corpus/corpus.ts';
import { comparePairs, medianOf } from './pairs.ts';

type Figures = {
  seconds: number;
  cpuSeconds: number;
  documents: number;
  peakMib: number;
  idleMib: number;
  digest: string | null;
  ledger: { seconds: number; cpuSeconds: number; ledgerMib: number } | null;
  steps?: { operatorId: string; ms: number }[];
  /** CPU seconds by thread. */
  threads?: Record<string, number>;
};

const execute = promisify(execFile);
const program = fileURLToPath(new URL('cleaning-run.ts', import.meta.url));
const isFull = process.env['TILTH_BENCH_FULL'] === '1';
const sizeBytes = isFull ? 2 ** 30 : 128 * 2 ** 20;
const wanted = process.env['TILTH_BENCH_SECTIONS']?.split(',');
/** Each pair needs five runs. */
const scalingPairs = Math.max(1, Number(process.env['TILTH_BENCH_PAIRS'] ?? 5));

const directory = await mkdtemp(join(process.env['TILTH_BENCH_DIRECTORY'] ?? tmpdir(), 'tilth-bench-'));
try {
  const path = process.env['TILTH_BENCH_CORPUS'] ?? join(directory, 'corpus.jsonl');
  const corpus = existsSync(path) ? undefined : writeCorpus(path, { documents: isFull ? 200_000 : 0, sizeBytes });
  if (corpus !== undefined) console.log(`  corpus: ${corpus.documents} documents, ${mib(corpus.sizeBytes)} MiB`);
  const sections: Record<string, (path: string) => Promise<void>> = {
    reading,
    chains,
    ledger,
    scaling,
    memory,
    resume,
    responsive,
    profile,
  };
  for (const [name, section] of Object.entries(sections)) {
    if (wanted === undefined || wanted.includes(name)) await section(path);
  }
} finally {
  await rm(directory, { recursive: true });
}

/** Steps that change nothing or every row, on one core each; in wall-clock seconds and in CPU seconds. */
async function reading(path: string): Promise<void> {
  for (const chain of ['pass', 'touch']) {
    const processor = { own: [] as number[], loop: [] as number[] };
    const threads: Record<string, number[]> = {};
    await comparePairs(
      `a chain that ${chain === 'pass' ? 'changes nothing' : 'changes every row'} against the bare loop, one core`,
      {
        name: chain,
        unit: 'MiB/s',
        async run() {
          const figures = await runChain(path, chain, { core: 1 });
          processor.own.push(mib(sizeOf(path)) / figures.cpuSeconds);
          for (const [thread, seconds] of Object.entries(figures.threads ?? {})) (threads[thread] ??= []).push(seconds);
          return rateOf(path, figures);
        },
      },
      {
        name: 'loop',
        unit: 'MiB/s',
        async run() {
          const figures = await runFloor(path, 1);
          processor.loop.push(mib(sizeOf(path)) / figures.cpuSeconds);
          return rateOf(path, figures);
        },
      },
    );
    const [own, loop] = [medianOf(processor.own), medianOf(processor.loop)];
    console.log(
      `  of a second of the processor: ${own.toFixed(0)} MiB against ${loop.toFixed(0)}, ${(own / loop).toFixed(2)}`,
    );
    const shares = Object.entries(threads).map(([thread, seconds]) => `${thread} ${medianOf(seconds).toFixed(2)}`);
    console.log(`  seconds of the processor by thread: ${shares.join(', ')}`);
  }
}

/**
 * Cost of the ledger of a chain of five, measured by encoding and storing it again: on the corpus and on short rows.
 */
async function ledger(path: string): Promise<void> {
  const short = join(directory, 'short.jsonl');
  writeShortRows(path, short);
  for (const file of [path, short]) {
    const {
      documents,
      cpuSeconds,
      seconds,
      ledger: again,
    } = await runChain(file, 'five', { core: 1, withLedger: true });
    if (again === null) throw new Error('The ledger was not written again');
    const share = again.cpuSeconds / (cpuSeconds - again.cpuSeconds);
    console.log(
      `ledger of ${documents} rows of ${Math.round(sizeOf(file) / documents)} bytes: ${again.ledgerMib.toFixed(1)} MiB, ` +
        `${again.cpuSeconds.toFixed(2)} s of the processor beside ${(cpuSeconds - again.cpuSeconds).toFixed(2)} s: ${(share * 100).toFixed(1)} % ` +
        `(by the clock ${again.seconds.toFixed(2)} s of ${seconds.toFixed(2)} s)`,
    );
  }
}

/** Rows of some two hundred characters from the texts of a corpus; at most 32 MiB. */
function writeShortRows(path: string, target: string): void {
  const lines = readFileSync(path)
    .subarray(0, 32 << 20)
    .toString('utf8')
    .split('\n')
    .slice(0, -1);
  const rows = lines.flatMap((line) => {
    const { text } = JSON.parse(line) as { text: string };
    return (text.match(/[^]{1,200}/g) ?? []).map((part, id) => JSON.stringify({ id, text: part }));
  });
  writeFileSync(target, `${rows.join('\n')}\n`);
}

async function chains(path: string): Promise<void> {
  for (const chain of ['five', 'fineweb', 'chinese-web-text', 'personal-data', 'minhash']) {
    const figures = await runChain(path, chain, { core: 1 });
    const { documents, seconds, peakMib } = figures;
    console.log(
      `  ${chain}, one core: ${Math.round(documents / seconds)} documents/s, ${rateOf(path, figures).toFixed(1)} MiB/s, peak ${Math.round(peakMib)} MiB`,
    );
    for (const { operatorId, ms } of figures.steps ?? []) console.log(`    ${operatorId}: ${Math.round(ms)} ms`);
  }
}

/**
 * The gain of a second worker against the gain of a second process of the bare loop in the same minute. Besides wall
 * time it reports CPU seconds: of the whole run, and how many cores the run used.
 */
async function scaling(path: string): Promise<void> {
  const gains: { engine: number; loop: number; ratio: number }[] = [];
  const cpu = { one: [] as number[], two: [] as number[], loop: [] as number[] };
  for (let pair = 0; pair < scalingPairs; pair += 1) {
    const one = await runChain(path, 'five', { workers: 1, withDigest: pair === 0 });
    const alone = await runFloor(path, undefined);
    const two = await runChain(path, 'five', { workers: 2, withDigest: pair === 0 });
    const both = await Promise.all([runFloor(path, undefined), runFloor(path, undefined)]);
    if (one.digest !== two.digest) throw new Error('Two workers wrote other bytes than one');
    const bothSeconds = Math.max(...both.map(({ seconds }) => seconds));
    const engine = one.seconds / two.seconds;
    const loop = (2 * alone.seconds) / bothSeconds;
    gains.push({ engine, loop, ratio: engine / loop });
    cpu.one.push(one.cpuSeconds);
    cpu.two.push(two.cpuSeconds);
    cpu.loop.push(alone.cpuSeconds);
    const bothCpuSeconds = both.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    console.log(
      `  workers: one ${busy(one)}, two ${busy(two)}, ${engine.toFixed(2)}×; ` +
        `loops: one ${busy(alone)}, two ${busy({ seconds: bothSeconds, cpuSeconds: bothCpuSeconds })}, ${loop.toFixed(2)}×; ` +
        (engine / loop).toFixed(2),
    );
  }
  const range = (side: 'engine' | 'loop' | 'ratio'): string => {
    const values = gains.map((gain) => gain[side]);
    return `${medianOf(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
  };
  console.log(
    `scaling from one worker to two against two loops: ${range('ratio')}; two workers ${range('engine')}×, two loops ${range('loop')}×; ` +
      `seconds of the processor: one worker ${medianOf(cpu.one).toFixed(2)}, two ${medianOf(cpu.two).toFixed(2)}, a loop ${medianOf(cpu.loop).toFixed(2)}`,
  );
}

/** A profile of all samples against one pass of the bare loop, one worker. */
async function profile(path: string): Promise<void> {
  const folder = await mkdtemp(join(directory, 'run-'));
  const own = await measure(['profile', folder, path, '1'], undefined);
  await rm(folder, { recursive: true });
  const loop = await runFloor(path, undefined);
  const threads = Object.entries(own.threads ?? {}).map(([thread, seconds]) => `${thread} ${seconds.toFixed(1)}`);
  console.log(
    `profile of ${mib(sizeOf(path))} MiB, ${own.documents} documents: ${busy(own)}; loop ${busy(loop)}; ` +
      `processor ${(own.cpuSeconds / loop.cpuSeconds).toFixed(1)}×; peak ${Math.round(own.peakMib)} MiB (before ${Math.round(own.idleMib)}); ` +
      `seconds of the processor by thread: ${threads.join(', ')}`,
  );
}

/** Wall-clock seconds, CPU seconds and the number of cores used. */
function busy({ seconds, cpuSeconds }: Pick<Figures, 'seconds' | 'cpuSeconds'>): string {
  return `${seconds.toFixed(2)} s (processor ${cpuSeconds.toFixed(2)} s, ${(cpuSeconds / seconds).toFixed(2)} cores)`;
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

/** From the start of the engine in the next process to its first checkpoint of a shard. */
async function resume(path: string): Promise<void> {
  const folder = await mkdtemp(join(directory, 'run-'));
  const args = [program, 'run', folder, path, 'five', '1'];
  const before = await watch(args, 10);
  const after = await watch(args, 2);
  await rm(folder, { recursive: true });
  const [killedAt, first] = [before.at(-1), after.find(({ documents }) => documents > (before.at(-1)?.documents ?? 0))];
  if (killedAt === undefined || first === undefined) throw new Error('The run was over before it could be killed');
  console.log(
    `resume after SIGKILL at ${killedAt.documents} documents: the first checkpoint ${first.seconds.toFixed(2)} s after the engine starts`,
  );
}

type Change = { seconds: number; documents: number };

/** Runs until this many shards have a checkpoint, then kills the process; returns its last report. */
async function watch(args: readonly string[], killAt: number): Promise<Change[]> {
  const env = { ...process.env, TILTH_BENCH_CHANGES: '1' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const changes: Change[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('changed ')) continue;
    const change = JSON.parse(line.slice('changed '.length)) as Change;
    if (change.documents === 0 || change.documents === changes.at(-1)?.documents) continue;
    changes.push(change);
    if (changes.length === killAt) child.kill('SIGKILL');
  }
  return changes;
}

/** HTTP requests during a run. */
async function responsive(path: string): Promise<void> {
  // The service may use both cores, as in production.
  process.env['TILTH_BENCH_CORES'] ??= '0-1';
  const { measureResponsiveness } = await import('./responsiveness.ts');
  await measureResponsiveness(directory, path);
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
  { core, workers = 1, ...extras }: { core?: number; workers?: number } & Extras,
): Promise<Figures> {
  const folder = await mkdtemp(join(directory, 'run-'));
  const figures = await measure(['run', folder, path, chain, String(workers)], core, extras);
  await rm(folder, { recursive: true });
  return figures;
}

type Extras = { withDigest?: boolean; withLedger?: boolean };

async function measure(
  args: readonly string[],
  core: number | undefined,
  { withDigest = false, withLedger = false }: Extras = {},
): Promise<Figures> {
  const pinned = core === undefined ? [] : ['taskset', '-c', String(core)];
  const [command = process.execPath, ...rest] = [...pinned, process.execPath, program, ...args];
  const env = { ...process.env, TILTH_BENCH_DIGEST: withDigest ? '1' : '', TILTH_BENCH_LEDGER: withLedger ? '1' : '' };
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
