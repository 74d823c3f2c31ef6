// One measurement of the cleaning benchmark in its own process: `floor FILE OUTPUT`, `run DIRECTORY FILE CHAIN WORKERS`
// or `profile DIRECTORY FILE WORKERS`. Prints its figures as JSON; `run` resumes what an earlier process left in the
// directory. A new run is preceded by a small warm-up run, because a service pays for threads, modules and compiled
// code once.
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { builtModule } from '../server/kernel/built-modules.ts';
import { reasonWith } from '../server/kernel/sentences/index.ts';
import { builtInTemplates } from '../server/areas/data-cleaning/built-in-templates.ts';
import { profileSteps, type InputFile, type Step } from '../server/engine/index.ts';
import { createLedgerWriter } from '../server/engine/work/samples/ledger.ts';
import type { LedgerLine } from '../server/engine/orders/ledger-line.ts';
import { linesOf, reasonIn } from '../server/engine/orders/ledger-entry.ts';
import { listShards } from '../server/engine/drive/queries/shards.ts';
import { stage } from '../server/engine/drive/shards/shard-outcome.ts';
import { openEngine, type EngineBench } from '../tests/support/engine.ts';
import { parseParams } from '../server/operators/index.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { operators as builtIn } from '../server/operators/index.ts';
import { operators } from './cleaning-operators.ts';
import { cpuBetween, readCpuTimes, type CpuTimes } from './cpu-times.ts';

const chains: Readonly<Record<string, readonly string[]>> = {
  pass: ['passer'],
  touch: ['toucher'],
  five: [
    'control-character-remover',
    'unicode-normalizer',
    'whitespace-normalizer',
    'special-character-ratio-filter',
    'text-length-filter',
  ],
  minhash: ['minhash-deduplicator'],
};

/** A few shards per worker: by then V8 has compiled the hot code. */
const warmUpBytes = 32 << 20;

const [mode, ...args] = process.argv.slice(2);
if (mode === 'floor') floor(args[0] ?? '', args[1] ?? '');
else if (mode === 'profile') await profile(args[0] ?? '', args[1] ?? '', Number(args[2] ?? 1));
else await run(args[0] ?? '', args[1] ?? '', args[2] ?? '', Number(args[3] ?? 1));

/** Reads lines, parses each and writes it unchanged: the minimum work of any tool over JSONL. */
function floor(path: string, outputPath: string): void {
  const begun = performance.now();
  const cpuBegun = process.cpuUsage();
  const input = openSync(path, 'r');
  const output = openSync(outputPath, 'w');
  const block = Buffer.allocUnsafe(4 << 20);
  let held = 0;
  let documents = 0;
  for (;;) {
    const count = readSync(input, block, held, block.length - held, null);
    if (count === 0) break;
    const end = block.subarray(0, held + count).lastIndexOf(10) + 1;
    let at = 0;
    while (at < end) {
      const next = block.indexOf(10, at);
      const row = JSON.parse(block.toString('utf8', at, next)) as { text: string };
      if (typeof row.text === 'string') documents += 1;
      at = next + 1;
    }
    for (let written = 0; written < end;) written += writeSync(output, block, written, end - written);
    block.copy(block, 0, end, held + count);
    held += count - end;
  }
  closeSync(input);
  closeSync(output);
  report(figuresSince({ begun, cpuBegun }), documents, 0);
}

async function run(directory: string, path: string, chain: string, workers: number): Promise<void> {
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  const operatorsUrl = builtModule(new URL('cleaning-operators.ts', import.meta.url)).href;
  const bench = await openEngine(db, directory, { workers, operatorsUrl });
  const started = join(directory, 'run-id');
  let runId: string;
  const idle = process.memoryUsage.rss();
  let begun: number;
  let cpuBegun = process.cpuUsage();
  let threadsBegun: CpuTimes = new Map();
  if (existsSync(started)) {
    runId = readFileSync(started, 'utf8');
    begun = performance.now();
    await bench.engine.start();
    process.stdout.write('working\n');
  } else {
    const source = [await storeCorpus(bench, path)];
    const steps = chainSteps(chain);
    // The uncompressed corpus is beside the compressed one.
    await warmUp(bench, path.replace(/\.zst$/, ''), steps);
    threadsBegun = await readCpuTimes(process.pid);
    begun = performance.now();
    cpuBegun = process.cpuUsage();
    runId = (await bench.execute(source, { steps, textField: 'text' }, { taskId: 'task' })).id;
    writeFileSync(started, runId);
    process.stdout.write('working\n');
  }
  if (process.env['TILTH_BENCH_CHANGES'] === '1') {
    bench.engine.onChange(runId, () => {
      const seconds = (performance.now() - begun) / 1000;
      void bench.engine.findRun(db.read, 'test', 'task', runId).then((seen) => {
        process.stdout.write(`changed ${JSON.stringify({ seconds, documents: seen?.counts.in ?? 0 })}\n`);
      });
    });
  }
  const ended = await bench.ended(runId);
  if (ended.status !== 'COMPLETED') throw new Error(ended.error ?? ended.status);
  const figures = figuresSince({ begun, cpuBegun });
  report(figures, ended.counts.in, idle, {
    kept: ended.counts.kept,
    threads: Object.fromEntries(cpuBetween(threadsBegun, await readCpuTimes(process.pid))),
    ledger: process.env['TILTH_BENCH_LEDGER'] === '1' ? await writeLedgerAgain(bench, runId) : null,
    steps: await bench.engine.summarizeSteps(ended),
    digest: process.env['TILTH_BENCH_DIGEST'] === '1' ? await digest() : null,
  });
  await bench.close();
  await db.close();

  async function digest(): Promise<string> {
    const hash = createHash('sha256');
    for (const [name, content] of await bench.result()) hash.update(`${name}\n${content}`);
    return hash.digest('hex');
  }
}

/** A profile of all samples, after a warm-up over the first ones. */
async function profile(directory: string, path: string, workers: number): Promise<void> {
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  const operatorsUrl = builtModule(new URL('cleaning-operators.ts', import.meta.url)).href;
  const bench = await openEngine(db, directory, { workers, operatorsUrl });
  const area = 'bench-profiles';
  bench.engine.registerProfiles(area, {
    async *inputs(run) {
      yield run.areaDetails as InputFile[];
    },
  });
  const recipe = { steps: profileSteps(builtIn), onError: 'SET_ASIDE', textField: 'text' } as const;
  const measureAll = async (file: InputFile): Promise<number> => {
    const details = bench.engine.detailsOf(recipe, [file]);
    const datasets = [{ datasetId: 'source', role: 'SOURCE' as const, version: 1 }];
    const { id } = await db.write((tx) =>
      bench.engine.enqueue(tx, { area, taskId: file.fileId, by: '', details, datasets }),
    );
    bench.engine.wake();
    for (;;) {
      const run = (await bench.engine.findRuns(db.read, [id])).get(id);
      if (run?.status === 'COMPLETED') return run.counts.in;
      if (run?.status === 'FAILED') throw new Error(run.error ?? '');
      await setTimeout(20);
    }
  };
  const corpus = await storeCorpus(bench, path);
  await measureAll(await putHead(bench, path));
  const idle = process.memoryUsage.rss();
  const threadsBegun = await readCpuTimes(process.pid);
  const usage = { begun: performance.now(), cpuBegun: process.cpuUsage() };
  const documents = await measureAll(corpus);
  const threads = Object.fromEntries(cpuBetween(threadsBegun, await readCpuTimes(process.pid)));
  report(figuresSince(usage), documents, idle, { threads });
  await bench.close();
  await db.close();
}

async function storeCorpus(bench: EngineBench, path: string): Promise<InputFile> {
  const writer = bench.blobs.create();
  for await (const bytes of createReadStream(path, { highWaterMark: 1 << 20 })) await writer.write(bytes as Buffer);
  const staged = await writer.finish();
  await bench.blobs.flush();
  await bench.db.write((tx) => bench.blobs.adopt(tx, [staged]));
  await bench.blobs.settle([staged]);
  await settleInput(bench, staged.id);
  return { fileId: 'corpus', path: basename(path), sizeBytes: staged.sizeBytes, blobId: staged.id };
}

/**
 * Waits for the SHA-256 of the input, which the upload pays for, and reads it into the page cache, where the bare loop
 * finds it.
 */
async function settleInput(bench: EngineBench, blobId: string): Promise<void> {
  while ((await bench.blobs.find(blobId))?.sha256 === null) await setTimeout(50);
  const { path, release } = await bench.blobs.localPath(blobId);
  for await (const bytes of createReadStream(path, { highWaterMark: 1 << 20 })) void bytes;
  await release();
}

/** The beginning of the corpus as a separate file. */
function putHead(bench: EngineBench, path: string): Promise<InputFile> {
  const head = Buffer.alloc(warmUpBytes);
  const file = openSync(path, 'r');
  const read = readSync(file, head, 0, head.length, 0);
  closeSync(file);
  return bench.put('warm-up.jsonl', head.subarray(0, head.subarray(0, read).lastIndexOf(10) + 1));
}

async function warmUp(bench: EngineBench, path: string, steps: readonly Step[]): Promise<void> {
  const { id } = await bench.execute([await putHead(bench, path)], { steps, textField: 'text' });
  const ended = await bench.ended(id);
  if (ended.status !== 'COMPLETED') throw new Error(ended.error ?? ended.status);
}

/**
 * Encodes and stores the ledger of a run once more as the run did: the extra cost over a run without a ledger. Only the
 * second pass is measured, with compiled code, as in a run.
 */
async function writeLedgerAgain(bench: EngineBench, runId: string): Promise<Usage & { ledgerMib: number }> {
  const memory = { bytes: new Uint8Array(0) };
  let bytes = 0;
  let usage: Usage = { seconds: 0, cpuSeconds: 0 };
  for (let round = 0; round < 2; round += 1) {
    bytes = 0;
    usage = { seconds: 0, cpuSeconds: 0 };
    for (const { ledger_blob_id: id } of await listShards(bench.db.read, runId, -1, 1_000_000)) {
      if (id === null) continue;
      const ledger = await bench.bytesOf(id);
      bytes += ledger.length;
      const lines = linesOf(ledger).map(judgedLine);
      const begun = performance.now();
      // Only this thread: others still collect the garbage left by reading the ledger.
      const cpuBegun = process.threadCpuUsage();
      const writer = createLedgerWriter(memory);
      for (const { piece, row, judgement, more } of lines) writer.write(piece, row, judgement, more);
      const staged = await stage(bench.blobs, writer.take());
      await bench.blobs.flush();
      await bench.blobs.settle([staged]);
      const { user, system } = process.threadCpuUsage(cpuBegun);
      usage = {
        seconds: usage.seconds + (performance.now() - begun) / 1000,
        cpuSeconds: usage.cpuSeconds + (user + system) / 1e6,
      };
    }
  }
  return { ...usage, ledgerMib: bytes / 2 ** 20 };
}

function judgedLine(line: LedgerLine) {
  const [piece, row, verdict, step = null, , known, raw, receipt] = line;
  const { reason: text, sentence } = reasonIn(line);
  const reason = text === null ? null : reasonWith(text, sentence);
  const scores = Object.entries(known ?? {}).map(([key, score]) => ({ step: Number(key), score: Number(score) }));
  const judgement = { verdict, step, reason, scores: scores.length === 0 ? null : scores };
  return { piece, row, judgement, more: { raw: raw ?? undefined, receipt: receipt ?? undefined } };
}

/** The steps of a chain of this benchmark, of a built-in template, or of a single operator. */
function chainSteps(chain: string): Step[] {
  const template = builtInTemplates.find(({ id }) => id === chain);
  if (template !== undefined) return template.steps.map(({ operatorId, params }) => stepOf(operatorId, params));
  return (chains[chain] ?? [chain]).map((operatorId) => stepOf(operatorId));
}

function stepOf(operatorId: string, params: unknown = {}): Step {
  const operator = operators.find(({ id }) => id === operatorId);
  const parsed = operator === undefined ? undefined : parseParams(operator, params);
  if (operator === undefined || parsed?.ok !== true) throw new Error(`There is no operator ${operatorId}`);
  return { operatorId, version: operator.version, params: parsed.params };
}

type Usage = { seconds: number; cpuSeconds: number };

function figuresSince({ begun, cpuBegun }: { begun: number; cpuBegun: NodeJS.CpuUsage }): Usage {
  const cpu = process.cpuUsage(cpuBegun);
  return { seconds: (performance.now() - begun) / 1000, cpuSeconds: (cpu.user + cpu.system) / 1e6 };
}

function report(usage: Usage, documents: number, idleBytes: number, more: object = {}): void {
  const peakMib = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(`${JSON.stringify({ ...usage, documents, peakMib, idleMib: idleBytes / 2 ** 20, ...more })}\n`);
}
