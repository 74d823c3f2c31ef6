// Two processes that share one PostgreSQL drive runs together: each run belongs to the holder of its lease.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Run } from '../server/runs/index.ts';
import { sized } from './support/long-tests.ts';
import { createPostgresDatabase, postgres } from './support/postgres.ts';
import { openSharedRuns, sharedLeaseMs, type SharedRuns } from './support/shared-runs.ts';
import { testWith } from './support/tools.ts';

async function open(t: TestContext, processes?: number): Promise<SharedRuns> {
  const { url, drop } = await createPostgresDatabase();
  const shared = await openSharedRuns(url, processes);
  t.after(async () => {
    await shared.close();
    await drop();
  });
  return shared;
}

async function stepsDone(shared: SharedRuns, run: Run, atLeast: number): Promise<void> {
  while ((await shared.find(run)).counts.in < atLeast) await setTimeout(20);
}

/** The process that executed the latest step, by its place. */
async function driverOf(shared: SharedRuns, run: Run): Promise<string> {
  const { rows } = await sql<{ place: string }>`
    select place from sleep_steps where run_id = ${run.id} order by step desc limit 1`.execute(shared.db.read);
  return rows[0]?.place ?? '';
}

testWith([postgres], 'what a living process drives is left to it', async (t) => {
  const shared = await open(t);
  const runs = await Promise.all(Array.from({ length: 6 }, () => shared.enqueue(sized(30, 60), 100)));
  await shared.ended();
  const rows = await shared.db.read.selectFrom('runs').select('epoch').execute();
  assert.deepEqual(
    rows.map(({ epoch }) => epoch),
    runs.map(() => 1),
  );
  assert.deepEqual(await shared.findViolations(), []);
});

testWith([postgres], 'another process goes on where one was killed', async (t) => {
  const shared = await open(t, 1);
  const run = await shared.enqueue(40, 50);
  await stepsDone(shared, run, 5);
  const before = await driverOf(shared, run);
  const killed = performance.now();
  await shared.kill(0, 'another');
  await shared.ended();
  assert.ok(performance.now() - killed > sharedLeaseMs / 2, 'nobody takes a run whose lease has not ended');
  assert.notEqual(await driverOf(shared, run), before);
  assert.deepEqual(await shared.findViolations(), []);
});

testWith([postgres], 'a process that slept beyond its lease cannot write any more', async (t) => {
  const shared = await open(t);
  const run = await shared.enqueue(150, 40);
  await stepsDone(shared, run, 5);
  const owner = await driverOf(shared, run);
  const index = shared.places().indexOf(owner);
  assert.notEqual(index, -1);
  await shared.pause(index, 2.5 * sharedLeaseMs);
  await shared.ended();
  await setTimeout(500);
  assert.ok(shared.fenced() >= 1, 'it was refused when it woke up');
  assert.notEqual(await driverOf(shared, run), owner);
  assert.deepEqual(await shared.findViolations(), []);
});

testWith([postgres], 'a stop that is asked of one process reaches the one that works', async (t) => {
  const shared = await open(t, 1);
  const run = await shared.enqueue(3, 600_000);
  while ((await shared.find(run)).status !== 'RUNNING') await setTimeout(20);
  assert.ok(await shared.runs.stopRun(run.id));
  // It would otherwise sleep for ten minutes.
  const stopped = performance.now();
  while (shared.fenced() === 0) await setTimeout(20);
  assert.ok(performance.now() - stopped < 30_000);
  assert.deepEqual(await shared.findViolations(), []);
});
