// One measurement of the cleaning benchmark in a process of its own: `floor FILE OUTPUT` or `run DIRECTORY FILE CHAIN WORKERS`.
// Prints its figures as JSON; `run` goes on with what an earlier process left in the directory.
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
import { join } from 'node:path';
import { openEngine } from '../tests/support/engine.ts';
import { parseParams } from '../server/operators/index.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { operators } from './cleaning-operators.ts';

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

const [mode, ...args] = process.argv.slice(2);
if (mode === 'floor') floor(args[0] ?? '', args[1] ?? '');
else await run(args[0] ?? '', args[1] ?? '', args[2] ?? '', Number(args[3] ?? 1));

/** Reads lines, parses each and writes it as it came: what any tool over JSONL must do at least. */
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
  report({ begun, cpuBegun }, documents, 0);
}

async function run(directory: string, path: string, chain: string, workers: number): Promise<void> {
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  const operatorsUrl = new URL('cleaning-operators.ts', import.meta.url).href;
  const bench = await openEngine(db, directory, { workers, operatorsUrl });
  const started = join(directory, 'run-id');
  let runId: string;
  const idle = process.memoryUsage.rss();
  let begun: number;
  let cpuBegun = process.cpuUsage();
  if (existsSync(started)) {
    runId = readFileSync(started, 'utf8');
    begun = performance.now();
    await bench.engine.start();
    process.stdout.write('working\n');
  } else {
    const writer = bench.blobs.create();
    for await (const bytes of createReadStream(path, { highWaterMark: 1 << 20 })) await writer.write(bytes as Buffer);
    const staged = await writer.finish();
    await bench.blobs.flush();
    await db.write((tx) => bench.blobs.adopt(tx, [staged]));
    await bench.blobs.settle([staged]);
    const source = [{ fileId: 'corpus', path: 'corpus.jsonl', sizeBytes: staged.sizeBytes, blobId: staged.id }];
    begun = performance.now();
    cpuBegun = process.cpuUsage();
    const steps = (chains[chain] ?? [chain]).map((operatorId) => stepOf(operatorId));
    runId = (await bench.execute(source, { steps, textField: 'text' }, { taskId: 'task' })).id;
    writeFileSync(started, runId);
    process.stdout.write('working\n');
  }
  bench.engine.onChange(runId, () => {
    process.stdout.write(`changed ${((performance.now() - begun) / 1000).toFixed(3)}\n`);
  });
  const ended = await bench.ended(runId);
  if (ended.status !== 'COMPLETED') throw new Error(ended.error ?? ended.status);
  report({ begun, cpuBegun }, ended.counts.in, idle, {
    kept: ended.counts.kept,
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

function stepOf(operatorId: string) {
  const operator = operators.find(({ id }) => id === operatorId);
  const parsed = operator === undefined ? undefined : parseParams(operator, {});
  if (operator === undefined || parsed?.ok !== true) throw new Error(`There is no operator ${operatorId}`);
  return { operatorId, version: operator.version, params: parsed.params };
}

function report(
  { begun, cpuBegun }: { begun: number; cpuBegun: NodeJS.CpuUsage },
  documents: number,
  idleBytes: number,
  more: object = {},
): void {
  const seconds = (performance.now() - begun) / 1000;
  const peakMib = process.resourceUsage().maxRSS / 1024;
  const cpu = process.cpuUsage(cpuBegun);
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  process.stdout.write(
    `${JSON.stringify({ seconds, cpuSeconds, documents, peakMib, idleMib: idleBytes / 2 ** 20, ...more })}\n`,
  );
}
