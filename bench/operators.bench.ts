// Operators on real texts, on one core, in CPU time: each alone; exact deduplication against DuckDB's `GROUP BY` over
// the same hashes; near-duplicates against datasketch (Python) with the same parameters. `TILTH_BENCH_SECTIONS` selects
// sections, `TILTH_BENCH_CORPUS` names an existing corpus, `TILTH_BENCH_PYTHON` a Python that has datasketch; otherwise
// it is installed into a temporary folder.
import { noEffects } from '../tests/support/model-effects.ts';
import { execFile } from 'node:child_process';
import { createReadStream, existsSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { measureSpeed } from '../server/engine/work/preview/speed-work.ts';
import { reduceShards } from '../server/engine/work/sets/reduction.ts';
import { createSignatureCollector } from '../server/engine/work/sets/signatures.ts';
import { operators, parseParams, type Operator } from '../server/operators/index.ts';
import { exactDeduplicator } from '../server/operators/deduplicators/exact-deduplicator.ts';
import { minhashDeduplicator } from '../server/operators/deduplicators/minhash-deduplicator.ts';
import { writeCorpus } from './corpus/corpus.ts';

type Deduplicated = { seconds: number; documents: number; dropped: number; peakMib: number };

const execute = promisify(execFile);
const program = fileURLToPath(import.meta.url);
const peer = fileURLToPath(new URL('datasketch-peer.py', import.meta.url));
const exactRows = 1_000_000;
const rowsPerFile = 1000;
const idleMib = memoryOf('VmRSS');
const near = { threshold: 0.8, ngram: 5, permutations: 128 } as const;

const [mode, given = ''] = process.argv.slice(2);
if (mode === 'near') report(await deduplicateNear(given, process.argv[4] ?? ''));
else if (mode === 'exact') report(deduplicateExact());
else await compare();

async function compare(): Promise<void> {
  const wanted = process.env['TILTH_BENCH_SECTIONS']?.split(',');
  const directory = await mkdtemp(join(process.env['TILTH_BENCH_DIRECTORY'] ?? tmpdir(), 'tilth-bench-'));
  try {
    const path = process.env['TILTH_BENCH_CORPUS'] ?? join(directory, 'corpus.jsonl');
    if (!existsSync(path)) writeCorpus(path, { documents: 40_000, sizeBytes: 0 });
    const sections: Record<string, () => Promise<void>> = {
      alone: () => measureEach(path),
      exact: compareExact,
      near: () => compareNear(path, directory),
    };
    for (const [name, section] of Object.entries(sections)) {
      if (wanted === undefined || wanted.includes(name)) await section();
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Each operator with its defaults, on the first documents of the corpus. */
async function measureEach(path: string): Promise<void> {
  const lines = readFileSync(path)
    .subarray(0, 16 << 20)
    .toString()
    .split('\n')
    .slice(0, 2000);
  const texts = lines.filter((line) => line.endsWith('}')).map((line) => (JSON.parse(line) as { text: string }).text);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  console.log(
    `| Operator | Documents/s | MiB/s |\n|---|---|---|   (${Math.round(bytes / texts.length)} bytes a document)`,
  );
  for (const operator of operators) {
    const params = defaultsOf(operator);
    if (params === undefined) continue;
    const step = { operatorId: operator.id, version: operator.version, params };
    const { samples, cpuMs } = await measureSpeed(
      { step, texts, cpuMs: 1000 },
      { operators, effects: noEffects },
      () => {},
    );
    const rate = (samples / cpuMs) * 1000;
    const mibRate = (rate * bytes) / texts.length / 2 ** 20;
    console.log(`| \`${operator.id}\` | ${Math.round(rate)} | ${mibRate.toFixed(0)} |`);
  }
}

function defaultsOf(operator: Operator): Readonly<Record<string, unknown>> | undefined {
  const parsed = parseParams(operator, {});
  return parsed.ok ? parsed.params : undefined;
}

/** The same 128-bit hashes of a million texts, a fifth of them repeats. */
async function compareExact(): Promise<void> {
  const own = await child('exact');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  // Hashes of the same distribution: as many values, and as many equal ones.
  await connection.run(
    `CREATE TABLE hashes AS SELECT i AS number, hash(k) AS high, hash(k + 7) AS low FROM
       (SELECT i, CASE WHEN i % 5 = 4 THEN i // 2 ELSE i END AS k FROM range(${exactRows}) numbers(i))`,
  );
  const begun = process.cpuUsage();
  const answer = await connection.runAndReadAll(
    'SELECT count(*) FROM (SELECT min(number) FROM hashes GROUP BY high, low)',
  );
  const { user, system } = process.cpuUsage(begun);
  const seconds = (user + system) / 1e6;
  const groups = Number(answer.getRows()[0]?.[0]);
  console.log(
    `exact duplicates of ${own.documents} hashes: ${own.seconds.toFixed(2)} s, ${own.documents - own.dropped} stay; ` +
      `DuckDB, one thread: ${seconds.toFixed(2)} s, ${groups} stay; ${(seconds / own.seconds).toFixed(2)}×`,
  );
  connection.closeSync();
}

function deduplicateExact(): Deduplicated {
  const whole = exactDeduplicator.all(defaultsOf(exactDeduplicator) ?? {});
  const collector = createSignatureCollector(whole);
  for (let row = 0; row < exactRows; row += 1) {
    collector.take({ ordinal: row, piece: 0, row, path: '' }, { text: `${row % 5 === 4 ? Math.floor(row / 2) : row}` });
  }
  const signatures = collector.bytes(['rows']);
  const read = (target: Uint8Array, position: number): number => {
    const part = signatures.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
  return reduced(whole, [{ read, firstRow: 0 }], exactRows, process.cpuUsage());
}

async function compareNear(path: string, directory: string): Promise<void> {
  const python = process.env['TILTH_BENCH_PYTHON'] ?? (await makePython(directory));
  const own = await child('near', path, directory);
  const { stdout } = await execute(python, [
    peer,
    path,
    ...Object.values(near).map(String),
    String(minhashDeduplicator.all({ ...near }).keys),
  ]);
  const other = JSON.parse(stdout) as Deduplicated;
  for (const [name, { seconds, documents, dropped, peakMib }] of Object.entries({ own, datasketch: other })) {
    console.log(
      `near-duplicates of ${documents} documents, ${name}: ${seconds.toFixed(1)} s of the processor, ${dropped} dropped, ${Math.round(peakMib)} MiB`,
    );
  }
  console.log(
    `  ${(other.seconds / own.seconds).toFixed(1)}× as fast; dropped ${(((own.dropped - other.dropped) / other.dropped) * 100).toFixed(1)} %; ` +
      `memory ${(own.peakMib / other.peakMib).toFixed(2)}`,
  );
}

async function makePython(directory: string): Promise<string> {
  await execute('python3', ['-m', 'venv', join(directory, 'python')]);
  const python = join(directory, 'python', 'bin', 'python');
  await execute(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'datasketch==2.0.0']);
  return python;
}

/** Signatures are written to files, a thousand rows each, as in a run. */
async function deduplicateNear(path: string, directory: string): Promise<Deduplicated> {
  const whole = minhashDeduplicator.all({ ...near });
  const begun = process.cpuUsage();
  const files: number[] = [];
  let collector = createSignatureCollector(whole);
  let row = 0;
  const store = (): void => {
    const file = openSync(join(directory, `signatures-${files.length}`), 'w+');
    writeSync(file, collector.bytes(['rows']));
    files.push(file);
    collector = createSignatureCollector(whole);
  };
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const ordinal = row % rowsPerFile;
    collector.take(
      { ordinal, piece: 0, row: ordinal, path: '' },
      { text: (JSON.parse(line) as { text: string }).text },
    );
    row += 1;
    if (row % rowsPerFile === 0) store();
  }
  store();
  const shards = files.map((file, index) => ({
    read: (target: Uint8Array, position: number) => readSync(file, target, 0, target.length, position),
    firstRow: index * rowsPerFile,
  }));
  return reduced(whole, shards, row, begun);
}

/** Reduces the signatures; reports time since `begun`, and memory relative to that after the imports. */
function reduced(
  whole: Parameters<typeof reduceShards>[0],
  shards: Parameters<typeof reduceShards>[1],
  documents: number,
  begun: NodeJS.CpuUsage,
): Deduplicated {
  const { dropped } = reduceShards(whole, shards, { write: () => {}, beat: () => {} });
  const { user, system } = process.cpuUsage(begun);
  return { seconds: (user + system) / 1e6, documents, dropped, peakMib: memoryOf('VmHWM') - idleMib };
}

/** Memory of this process in MiB: now (`VmRSS`), or the highest so far (`VmHWM`). */
function memoryOf(kind: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

function report(figures: Deduplicated): void {
  console.log(JSON.stringify(figures));
}

async function child(...args: readonly string[]): Promise<Deduplicated> {
  // The flag that workers of runs use.
  const { stdout } = await execute(process.execPath, ['--max-semi-space-size=8', program, ...args]);
  return JSON.parse(stdout) as Deduplicated;
}
