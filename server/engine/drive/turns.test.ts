// Runs take turns with the workers, say when they wait for one, and tell what they do.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { forAnyDatabase, forEachDatabase } from '../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../tests/support/engine.ts';
import { holdTimers, type HeldTimers } from '../../../tests/support/held-timers.ts';
import { until } from '../../../tests/support/until.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Run } from '../../runs/index.ts';
import { quietMs } from '../../runs/quiet-runs.ts';
import { shortWaitMs } from './shards/worker-waits.ts';

const rows = '{"text":"one  row"}\n{"text":"another  row"}\n';

/** An engine with one worker, where a run is in a comparing pass that lasts until `open` is called. */
async function comparing(
  t: TestContext,
  db: Database,
): Promise<{ bench: EngineBench; timers: HeldTimers; runId: string; gate: string; open(): Promise<void> }> {
  const timers = holdTimers();
  const bench = await openBench(t, db, { workers: 1, timers });
  const gate = join(bench.directory, 'gate');
  const source = [await bench.put('a.jsonl', rows)];
  const { id: runId } = await bench.execute(source, { steps: [step('gate-comparer', { file: gate })] });
  await until(async () => {
    const row = await bench.db.read.selectFrom('runs').selectAll().where('id', '=', runId).executeTakeFirstOrThrow();
    return row.phase === 'COMPARE' && row.phase_samples === 2;
  });
  return { bench, timers, runId, gate, open: () => writeFile(gate, '') };
}

async function find(bench: EngineBench, id: string): Promise<Run> {
  const run = (await bench.engine.findRuns(bench.db.read, [id])).get(id);
  assert.ok(run !== undefined);
  return run;
}

forAnyDatabase('a run gets its samples done while another one compares its whole set', async (t, openDb) => {
  const { bench, runId, open } = await comparing(t, await openDb());
  const source = [await bench.put('b.jsonl', rows)];
  const { id } = await bench.execute(source, { steps: [step('whitespace-normalizer')] });
  const other = await bench.ended(id);
  assert.deepEqual([other.status, other.counts.kept], ['COMPLETED', 2], other.error ?? '');
  const still = await find(bench, runId);
  assert.deepEqual([still.status, still.phase, still.waitingFor], ['RUNNING', 'COMPARE', null]);
  await open();
  assert.equal((await bench.ended(runId)).status, 'COMPLETED');
});

forEachDatabase('a run that waits for a worker is queued and says so, until it has one', async (t, openDb) => {
  const { bench, timers, runId, gate, open } = await comparing(t, await openDb());
  const { id } = await bench.execute([await bench.put('b.jsonl', rows)], {
    steps: [step('gate-comparer', { file: gate })],
  });
  await until(async () => {
    timers.fire(shortWaitMs);
    return (await find(bench, id)).waitingFor !== null && (await find(bench, id)).phase === 'COMPARE';
  });
  const waiting = await find(bench, id);
  assert.deepEqual([waiting.status, waiting.waitingForCode], ['QUEUED', 'WAITS_FOR_WORKER']);
  const idsOf = async (status: Run['status']): Promise<string[]> =>
    (await bench.listByStatus(status)).map((run) => run.id);
  assert.deepEqual([await idsOf('QUEUED'), await idsOf('RUNNING')], [[id], [runId]]);
  await open();
  for (const one of [runId, id]) assert.equal((await bench.ended(one)).status, 'COMPLETED');
  assert.equal((await find(bench, id)).waitingFor, null);
});

forAnyDatabase('the log of a run is never silent for long, whatever its phase', async (t, openDb) => {
  const { bench, timers, runId, open } = await comparing(t, await openDb());
  const told = async (): Promise<string[]> =>
    (await bench.engine.listLogs(runId, { page: 0, size: 100 })).lines.map(({ message }) => message);
  for (let round = 1; round <= 2; round += 1) {
    await until(() => timers.fire(quietMs) > 0);
    const line = /^At work: phase COMPARE, 2 samples in it, [0-9.]+ % in all$/;
    await until(async () => (await told()).filter((message) => line.test(message)).length === round);
  }
  await open();
  assert.equal((await bench.ended(runId)).status, 'COMPLETED');
  assert.equal(timers.fire(quietMs), 0, 'it has ended');
});
