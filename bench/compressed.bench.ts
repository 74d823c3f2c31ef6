// Cleaning `.jsonl.zst` into `.jsonl.zst` against `zstd -dc | bare loop | zstd` over the same file: 128 MiB of JSON
// Lines, 1 GiB with `TILTH_BENCH_FULL=1`. Besides wall time it compares CPU time, which other load does not change.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findTool } from '../tests/support/tools.ts';
import { writeCorpus } from './corpus/corpus.ts';
import { comparePairs, medianOf } from './pairs.ts';

const execute = promisify(execFile);
const program = fileURLToPath(new URL('cleaning-run.ts', import.meta.url));
const isFull = process.env['TILTH_BENCH_FULL'] === '1';
const zstd = findTool('zstd');
if (zstd.path === undefined) throw new Error(`This benchmark needs zstd (${zstd.howToGet})`);

const directory = await mkdtemp(join(process.env['TILTH_BENCH_DIRECTORY'] ?? tmpdir(), 'tilth-bench-'));
try {
  const plain = join(directory, 'corpus.jsonl');
  writeCorpus(plain, { documents: isFull ? 200_000 : 0, sizeBytes: isFull ? 2 ** 30 : 2 ** 27 });
  const packed = `${plain}.zst`;
  if (!existsSync(packed)) execFileSync(zstd.path, ['-q', '-T1', plain, '-o', packed]);
  const mib = statSync(plain).size / 2 ** 20;
  console.log(`  corpus: ${mib.toFixed(0)} MiB, compressed ${(statSync(packed).size / 2 ** 20).toFixed(0)} MiB`);
  await compare(packed, mib);
} finally {
  await rm(directory, { recursive: true });
}

async function compare(packed: string, mib: number): Promise<void> {
  const cpu = { own: [] as number[], pipe: [] as number[] };
  await comparePairs(
    'a chain that changes every row of .jsonl.zst, against zstd -dc | bare loop | zstd',
    {
      name: 'touch',
      unit: 'MiB/s',
      async run() {
        const { seconds, cpuSeconds } = await runChain(packed);
        cpu.own.push(mib / cpuSeconds);
        return mib / seconds;
      },
    },
    {
      name: 'pipe',
      unit: 'MiB/s',
      async run() {
        const { seconds, cpuSeconds } = await runPipe(packed);
        cpu.pipe.push(mib / cpuSeconds);
        return mib / seconds;
      },
    },
  );
  const [own, pipe] = [medianOf(cpu.own), medianOf(cpu.pipe)];
  console.log(
    `  of a second of the processor: ${own.toFixed(0)} MiB against ${pipe.toFixed(0)}, ${(own / pipe).toFixed(2)}`,
  );
}

type Usage = { seconds: number; cpuSeconds: number };

async function runChain(packed: string): Promise<Usage> {
  const folder = await mkdtemp(join(directory, 'run-'));
  const { stdout } = await execute(process.execPath, [program, 'run', folder, packed, 'touch', '1'], {
    maxBuffer: 64 << 20,
  });
  await rm(folder, { recursive: true });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Usage;
}

/** The three programs run concurrently; the shell adds up their CPU time. */
async function runPipe(packed: string): Promise<Usage> {
  const output = join(directory, 'pipe.jsonl.zst');
  const script =
    'time ("$1" -dcq "$2" | "$3" "$4" floor /dev/stdin /dev/fd/3 3>&1 >/dev/null | "$1" -q -T1 -f -o "$5")';
  const args = ['-c', script, 'bash', zstd.path ?? '', packed, process.execPath, program, output];
  const { stderr } = await execute('bash', args, { env: { ...process.env, TIMEFORMAT: '%R %U %S' } });
  const [seconds = 0, user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds, cpuSeconds: user + system };
}
