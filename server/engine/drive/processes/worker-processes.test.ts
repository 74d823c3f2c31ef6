// Runs whose workers are processes: the same as with threads, and what ends a worker ends neither the service nor the run.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { completion, send, startProvider } from '../../../../tests/fakes/model-provider.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { docxOf } from '../../../../tests/support/document-files.ts';
import { openEngine, step, type EngineBench, type EngineBenchOptions } from '../../../../tests/support/engine.ts';
import { holdTimers } from '../../../../tests/support/held-timers.ts';
import { longTests, sized } from '../../../../tests/support/long-tests.ts';
import { addModel, openModels } from '../../../../tests/support/models.ts';
import { parquetOfTexts } from '../../../../tests/support/parquet.ts';
import { outcomeOf, outcomeOfRun, putAll, rowsOf, type Outcome } from '../../../../tests/support/pools.ts';
import { listStarted } from '../../../../tests/support/started-processes.ts';
import { until } from '../../../../tests/support/until.ts';
import { builtModule } from '../../../kernel/built-modules.ts';
import type { Database } from '../../../storage/database/database.ts';
import { heartbeatMs } from './heartbeats.ts';
import { idleMs } from './process-supply.ts';

async function openDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-worker-processes-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function open(t: TestContext, db: Database, options: EngineBenchOptions = {}): Promise<EngineBench> {
  const bench = await openEngine(db, await openDirectory(t), { workersIn: 'processes', ...options });
  t.after(() => bench.close());
  return bench;
}

forAnyDatabase('processes and threads make the same files and ledgers', async (t, openDb) => {
  const db = await openDb();
  const theme = (row: number): string =>
    Array.from({ length: 12 }, (_, at) => (at === row % 12 ? `own${row % 40}` : `word${row % 5}-${at}`)).join('  ');
  const own = (name: string, row: number): string =>
    Array.from({ length: 12 }, (_, at) => `${name}${row}${String.fromCodePoint(97 + at)}`).join('  ');
  const files = {
    'a.jsonl': rowsOf(150, theme),
    'b.csv': `text,n\n${'"two  spaces",1\n'.repeat(60)}`,
    'c.jsonl.gz': gzipSync(rowsOf(60, (row) => own('packed', row))),
    'd.parquet': await parquetOfTexts(Array.from({ length: 80 }, (_, row) => own('column', row))),
    'e.docx': docxOf(['A  paragraph', 'and another']),
    'f.txt': `plain   text\n`,
    'g.jsonl': `${JSON.stringify({ text: 'throw' })}\n${rowsOf(1, () => `${'x'.repeat(400_000)}  large`)}`,
    'h.bin': 'no text',
  };
  const references = [{ datasetId: 'other', prefix: 'o', field: 'text' }];
  const recipe = {
    steps: [
      step('whitespace-normalizer'),
      step('word-thrower'),
      step('exact-deduplicator', { references }),
      step('minhash-deduplicator', { threshold: 0.6, ngram: 1, permutations: 32, bands: 4, references }),
      step('decontamination-filter', { ngram: 3, shortest: 2, references }),
    ],
  };
  const outcomes: Outcome[] = [];
  for (const workersIn of ['threads', 'processes'] as const) {
    const directory = await openDirectory(t);
    const options = { workersIn, shardBytes: 100_000, workers: sized(1, 2), comparison: { wholeBytes: 10_000 } };
    const bench = await openEngine(db, directory, options);
    try {
      bench.references.set('other', await putAll(bench, { 'o.jsonl': rowsOf(20, (row) => theme(row * 7)) }));
      outcomes.push(await outcomeOf(bench, await putAll(bench, files), recipe));
    } finally {
      await bench.close();
    }
  }
  const [threads, processes] = outcomes;
  assert.equal(threads?.status, 'COMPLETED', threads?.error ?? '');
  assert.ok(
    threads.counts.failed > 0 && threads.counts.dropped > 150 && threads.counts.kept > 100,
    JSON.stringify(threads.counts),
  );
  assert.deepEqual(processes, threads);
});

/** Reasons of the samples that failed. */
const failuresOf = ({ entries }: Outcome): (string | null)[] =>
  entries.flatMap(({ reason }) => (reason === null ? [] : [reason]));

forAnyDatabase(
  'a sample whose values pass the heap in native code fails alone, and the service goes on',
  async (t, openDb) => {
    const bench = await open(t, await openDb(), { workerMemoryMb: 64 });
    const source = await putAll(bench, { 'a.jsonl': rowsOf(5, (row) => (row === 3 ? 'parse' : `row ${row}`)) });
    const outcome = await outcomeOf(bench, source, { steps: [step('json-parser')] });
    assert.deepEqual(
      [outcome.status, outcome.counts.in, outcome.counts.failed],
      ['COMPLETED', 5, 1],
      outcome.error ?? '',
    );
    assert.deepEqual(failuresOf(outcome), ['json-parser: it needed more than 64 MiB of memory']);
  },
);

longTests(() => {
  forAnyDatabase('documents and rows that end their process fail alone', async (t, openDb) => {
    const bench = await open(t, await openDb());
    const source = await putAll(bench, {
      'a.jsonl': rowsOf(5, (row) => (row === 3 ? 'abort' : `row ${row}`)),
      'b.docx': docxOf(['please abort']),
      'c.docx': docxOf(['good']),
    });
    const outcome = await outcomeOf(bench, source, { steps: [step('process-aborter')] });
    assert.deepEqual(
      [outcome.status, outcome.counts.in, outcome.counts.failed],
      ['COMPLETED', 7, 2],
      outcome.error ?? '',
    );
    for (const told of failuresOf(outcome)) assert.equal(told, 'process-aborter: its process ended with SIGABRT');
  });

  forAnyDatabase('a sample of a batch that ends its process fails alone', async (t, openDb) => {
    const bench = await open(t, await openDb());
    const source = await putAll(bench, { 'a.jsonl': rowsOf(9, (row) => (row === 5 ? 'abort' : `row ${row}`)) });
    const outcome = await outcomeOf(bench, source, { steps: [step('batch-raiser')] });
    assert.deepEqual(
      [outcome.status, outcome.counts.in, outcome.counts.failed],
      ['COMPLETED', 9, 1],
      outcome.error ?? '',
    );
  });

  forAnyDatabase('a sample at which the system kills its process every time fails alone', async (t, openDb) => {
    const bench = await open(t, await openDb());
    const source = await putAll(bench, { 'a.jsonl': rowsOf(9, (row) => (row === 5 ? 'kill' : `row ${row}`)) });
    const outcome = await outcomeOf(bench, source, { steps: [step('process-killer')] });
    assert.deepEqual(
      [outcome.status, outcome.counts.in, outcome.counts.failed],
      ['COMPLETED', 9, 1],
      outcome.error ?? '',
    );
  });

  forAnyDatabase('a run of samples that all end their processes fails with its reason', async (t, openDb) => {
    const bench = await open(t, await openDb());
    const source = await putAll(bench, { 'a.jsonl': rowsOf(20, () => 'abort') });
    const outcome = await outcomeOf(bench, source, { steps: [step('process-aborter')] });
    assert.equal(outcome.status, 'FAILED');
    assert.match(
      outcome.error ?? '',
      /^Workers were lost again and again over a\.jsonl: process-aborter: its process ended/,
    );
  });
});

/** A run that waits in a worker process for the file `gate`. */
async function waiting(
  t: TestContext,
  db: Database,
  options: EngineBenchOptions = {},
): Promise<{ bench: EngineBench; lost: string[]; runId: string; gate: string; pid: number }> {
  const lost: string[] = [];
  const bench = await open(t, db, { ...options, onWorkerLost: (why) => lost.push(why) });
  const gate = join(await openDirectory(t), 'gate');
  const before = new Set(listStarted(processModule));
  const source = await putAll(bench, { 'a.jsonl': rowsOf(3, (row) => `gate ${row}`) });
  const { id: runId } = await bench.execute(
    source,
    { steps: [step('gate-waiter', { file: gate })] },
    { taskId: 'task' },
  );
  let pid: number | undefined;
  await until(() => (pid = listStarted(processModule).find((one) => !before.has(one))) !== undefined);
  return { bench, lost, runId, gate, pid: pid ?? 0 };
}

const processModule = 'run-worker-process';

/** A process without a command line has ended, although nobody has asked how. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/cmdline`;
  return existsSync(path) && readFileSync(path).length > 0;
}

forAnyDatabase('a worker process that is killed fails nothing', async (t, openDb) => {
  const { bench, lost, runId, gate, pid } = await waiting(t, await openDb());
  process.kill(pid, 'SIGKILL');
  await until(() => listStarted(processModule).some((one) => one !== pid));
  await writeFile(gate, '');
  const outcome = await outcomeOfRun(bench, runId);
  assert.deepEqual(
    [outcome.status, outcome.counts.in, outcome.counts.failed],
    ['COMPLETED', 3, 0],
    outcome.error ?? '',
  );
  assert.deepEqual(lost, ['its process ended with SIGKILL']);
});

forAnyDatabase('a worker process that is suspended is ended, and its order tried again', async (t, openDb) => {
  const workerTimers = holdTimers();
  const { bench, lost, runId, gate, pid } = await waiting(t, await openDb(), { workerTimers });
  process.kill(pid, 'SIGSTOP');
  t.after(() => isRunning(pid) && process.kill(pid, 'SIGKILL'));
  await until(() => {
    workerTimers.fire(heartbeatMs);
    return lost.length > 0;
  });
  await until(() => !isRunning(pid));
  await writeFile(gate, '');
  const outcome = await outcomeOfRun(bench, runId);
  assert.deepEqual(
    [outcome.status, outcome.counts.in, outcome.counts.failed],
    ['COMPLETED', 3, 0],
    outcome.error ?? '',
  );
  assert.deepEqual(lost, ['its process gave no sign of life for 60 s']);
});

forAnyDatabase('a worker process without work ends after a while, and the next run has another', async (t, openDb) => {
  const workerTimers = holdTimers();
  const { bench, runId, gate, pid } = await waiting(t, await openDb(), { workerTimers });
  assert.equal(workerTimers.fire(idleMs), 0, 'it has work');
  await writeFile(gate, '');
  assert.equal((await outcomeOfRun(bench, runId)).status, 'COMPLETED');
  assert.ok(isRunning(pid));
  await until(() => workerTimers.fire(idleMs) > 0);
  await until(() => !isRunning(pid));
  const source = await putAll(bench, { 'b.jsonl': rowsOf(2, (row) => `row ${row}`) });
  const outcome = await outcomeOf(bench, source, { steps: [step('whitespace-normalizer')] });
  assert.deepEqual([outcome.status, outcome.counts.kept], ['COMPLETED', 2], outcome.error ?? '');
});

forAnyDatabase('a run that is stopped ends its worker process, and the next run has another', async (t, openDb) => {
  const { bench, runId, pid } = await waiting(t, await openDb());
  assert.ok(await bench.engine.stopRun(runId));
  await until(() => !isRunning(pid));
  assert.equal((await bench.ended(runId)).status, 'STOPPED');
  const source = await putAll(bench, { 'b.jsonl': rowsOf(2, (row) => `row ${row}`) });
  const outcome = await outcomeOf(bench, source, { steps: [step('whitespace-normalizer')] });
  assert.deepEqual([outcome.status, outcome.counts.kept], ['COMPLETED', 2], outcome.error ?? '');
});

forAnyDatabase('steps of worker processes ask models through the service', async (t, openDb) => {
  const db = await openDb();
  const provider = await startProvider(t, (request, response) => {
    send(response, 200, completion(JSON.stringify(request.body.messages).includes('row 1') ? 'one' : 'other'));
  });
  const { models } = await openModels(t, db);
  const { id: model } = await addModel(models, provider.baseUrl);
  const bench = await open(t, db, { models });
  const source = await putAll(bench, { 'a.jsonl': rowsOf(3, (row) => `row ${row}`) });
  const outcome = await outcomeOf(bench, source, { steps: [step('model-rewriter', { model })] });
  assert.equal(outcome.status, 'COMPLETED', outcome.error ?? '');
  assert.equal(provider.requests.length, 3);
  const [[, content] = ['', '']] = outcome.outputs;
  assert.equal(
    Buffer.from(content, 'base64').toString(),
    rowsOf(3, (row) => (row === 1 ? 'one' : 'other')),
  );
});

test('a worker process ends with its service, however that ends', { timeout: 60_000 }, async (t) => {
  const directory = await openDirectory(t);
  const service = fileURLToPath(
    builtModule(new URL('../../../../tests/support/process-supply-user.ts', import.meta.url)),
  );
  const child = spawn(process.execPath, [service, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [told] = (await once(child.stdout, 'data')) as [Buffer];
  const pid = Number(told.toString());
  assert.ok(isRunning(pid));
  child.kill('SIGKILL');
  await until(() => !isRunning(pid));
});
