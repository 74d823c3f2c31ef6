// Queries on the ledger of a run (pages, one row, a search, other thresholds) against only parsing the same lines.
// `TILTH_BENCH_ROWS` sets the number of rows (100,000).
import { mkdtemp, rm } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseParams, operators } from '../server/operators/index.ts';
import type { Step } from '../server/engine/index.ts';
import type { Run } from '../server/runs/index.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { openEngine, type EngineBench } from '../tests/support/engine.ts';
import { listShards } from '../server/engine/drive/queries/shards.ts';

const rows = Number(process.env['TILTH_BENCH_ROWS'] ?? 100_000);
const repeats = 5;

const steps = [
  stepOf('whitespace-normalizer', {}),
  stepOf('special-character-ratio-filter', { max: 0.3 }),
  stepOf('text-length-filter', { min: 60, max: 400 }),
];

const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
const db = await openDatabase({ file: join(directory, 'tilth.db') });
const bench = await openEngine(db, directory);
try {
  await measure(bench);
} finally {
  await bench.close();
  await db.close();
  await rm(directory, { recursive: true });
}

async function measure({ engine, db: database, bytesOf }: EngineBench): Promise<void> {
  const run = await cleaned(bench);
  const shards = await listShards(database.read, run.id, -1, 1_000_000);
  console.log(`  ${rows.toLocaleString('en')} rows in ${shards.length} shards: ${JSON.stringify(run.counts)}`);
  const last = Math.floor(rows / 20) - 1;
  const page = (filter: object, number: number) => () => engine.readLedger(run, filter, { page: number, size: 20 });
  await time('page 0', page({}, 0));
  await time(`page ${last.toLocaleString('en')}`, page({}, last));
  await time('last page of those dropped', page({ verdict: 'DROPPED' }, Math.floor((run.counts.dropped - 1) / 20)));
  await time('one row of the file', page({ filePath: 'rows.jsonl', row: rows - 7 }, 0));
  await time('a search that finds nothing', page({ search: 'nowhere' }, 0));
  const { entries } = await engine.readLedger(run, {}, { page: last, size: 1 });
  await time('one sample', () => engine.findSample(run, entries[0]?.sampleId ?? ''));
  const bounds = [
    { step: 1, direction: 'max' as const, value: 0.2 },
    { step: 2, direction: 'min' as const, value: 40 },
    { step: 2, direction: 'max' as const, value: 500 },
  ];
  await time('other thresholds', () => engine.rethreshold(run, { steps: 3, bounds, blindFrom: null }));
  await time('the bare parse of all lines, on the event loop', async () => {
    for (const { ledger_blob_id: id } of shards) {
      if (id === null) continue;
      for (const line of (await bytesOf(id)).toString().split('\n')) if (line !== '') JSON.parse(line);
    }
  });
}

async function cleaned({ put, execute, ended }: EngineBench): Promise<Run> {
  const parts: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    const text = `row ${row} ${'some words of  text '.repeat(row % 29)}${row % 13 === 0 ? '#!$%&/()=?'.repeat(9) : ''}`;
    parts.push(row % 997 === 5 ? '{broken' : JSON.stringify({ id: row, text }));
  }
  const { id } = await execute([await put('rows.jsonl', parts.join('\n'))], { steps });
  const run = await ended(id);
  if (run.status !== 'COMPLETED') throw new Error(run.error ?? run.status);
  return run;
}

/** Prints the median time of a call and the longest time that it blocked the event loop. */
async function time(name: string, call: () => Promise<unknown>): Promise<void> {
  await call();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const times: number[] = [];
  for (let count = 0; count < repeats; count += 1) {
    const begun = performance.now();
    await call();
    times.push(performance.now() - begun);
  }
  delay.disable();
  times.sort((one, other) => one - other);
  const median = times[times.length >> 1] ?? 0;
  console.log(`  ${name}: ${median.toFixed(1)} ms; the event loop waited at most ${(delay.max / 1e6).toFixed(1)} ms`);
}

function stepOf(operatorId: string, given: object): Step {
  const operator = operators.find(({ id }) => id === operatorId);
  const parsed = operator === undefined ? undefined : parseParams(operator, given);
  if (operator === undefined || parsed?.ok !== true) throw new Error(`There is no operator ${operatorId}`);
  return { operatorId, version: operator.version, params: parsed.params };
}
