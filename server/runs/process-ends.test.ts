import { foreign } from '../kernel/sentences/index.ts';
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { systemClock } from '../kernel/clock.ts';
import { currentOwner } from '../kernel/work-owner.ts';
import type { Database } from '../storage/database/database.ts';
import { createRuns, type RunContext, type Runs } from './index.ts';

type Work = (taskId: string, context: RunContext) => Promise<void>;

/** Starts the service; after `die`, none of its calls reach the database. `prepare` is called before runs are claimed. */
async function start(
  t: TestContext,
  db: Database,
  work: Work,
  prepare: (runs: Runs) => void = () => {},
): Promise<{ runs: Runs; die: () => void }> {
  const logger = { error: () => {}, info: () => {} };
  let isDead = false;
  const own: Database = {
    ...db,
    write: (task, options) => (isDead ? new Promise(() => {}) : db.write(task, options)),
  };
  const runs = createRuns({ db: own, clock: systemClock, logger, place: 'here' });
  runs.register({
    kind: 'farm',
    drive: ({ taskId }, context) => work(taskId, context),
    findPosition: async () => foreign('the field'),
  });
  t.after(() => (isDead ? undefined : runs.stop()));
  prepare(runs);
  await runs.start();
  return { runs, die: () => (isDead = true) };
}

const forever: Work = async (_taskId, { signal }) => {
  await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
};

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo());) {
    assert.ok(Date.now() < end, 'not within a minute');
    await setTimeout(10);
  }
}

async function statusOf(db: Database, taskId: string) {
  return db.read
    .selectFrom('runs')
    .select(['id', 'status', 'error', 'process_ends'])
    .where('task_id', '=', taskId)
    .executeTakeFirstOrThrow();
}

const enqueue = (db: Database, runs: Runs, taskId: string) =>
  db.write((tx) => runs.enqueue(tx, { area: 'farm', taskId, by: 'anna', details: {}, datasets: [] }));

forEachDatabase('a run that has ended its process three times fails, and the others are driven', async (t, open) => {
  const db = await open();
  let driven: string[] = [];
  const fatal: Work = async (taskId, context) => {
    driven.push(taskId);
    if (taskId === 'fatal') await forever(taskId, context);
  };
  const first = await start(t, db, (taskId, context) => {
    driven.push(taskId);
    return forever(taskId, context);
  });
  for (const taskId of ['fatal', 'innocent']) await enqueue(db, first.runs, taskId);
  first.runs.wake();
  await until(() => driven.length === 2);
  first.die();

  for (const ends of [1, 2]) {
    driven = [];
    const { die } = await start(t, db, fatal);
    await until(() => driven.length > 0);
    assert.deepEqual(driven, ['fatal'], 'one of those that may be to blame at a time');
    assert.equal((await statusOf(db, 'fatal')).process_ends, ends);
    die();
  }
  driven = [];
  const { id } = await statusOf(db, 'fatal');
  const seen: Promise<string>[] = [];
  const last = await start(t, db, fatal, (runs) => {
    runs.onChange(id, () => seen.push(statusOf(db, 'fatal').then((run) => run.status)));
  });
  await until(async () => (await statusOf(db, 'innocent')).status === 'COMPLETED');
  assert.deepEqual(driven, ['innocent']);
  assert.deepEqual(await Promise.all(seen), ['FAILED'], 'whoever waits for its end hears of it, after the commit');
  const { status, error } = await statusOf(db, 'fatal');
  assert.equal(status, 'FAILED');
  assert.match(error ?? '', /ended without notice 3 times while this run was under way, last at the field;/);
  const again = { area: 'farm', taskId: 'fatal', by: 'anna', details: {}, datasets: [] };
  const { id: resumed } = await db.write((tx) => last.runs.resume(tx, again, id));
  last.runs.wake();
  await until(() => driven.includes('fatal'));
  const row = await db.read.selectFrom('runs').selectAll().where('id', '=', resumed).executeTakeFirstOrThrow();
  assert.deepEqual([row.status, row.process_ends, row.resumed_from], ['RUNNING', 0, id]);
});

forEachDatabase('a run that makes progress in each start is not to blame', async (t, open) => {
  const db = await open();
  let steps = 0;
  const slow: Work = async (taskId, context) => {
    await context.checkpoint({ done: 1 });
    steps += 1;
    if (steps < 5) await forever(taskId, context);
  };
  let current = await start(t, db, slow);
  await enqueue(db, current.runs, 'long');
  current.runs.wake();
  for (let starts = 1; starts < 5; starts += 1) {
    await until(() => steps === starts);
    assert.equal((await statusOf(db, 'long')).process_ends, 0);
    current.die();
    current = await start(t, db, slow);
  }
  await until(async () => (await statusOf(db, 'long')).status === 'COMPLETED');
});

forEachDatabase('an error that no part of a run handles fails this run alone', async (t, open) => {
  const db = await open();
  const { runs } = await start(t, db, async (taskId, context) => {
    if (taskId === 'stray') {
      // Mimics the guard of the process.
      globalThis.setTimeout(() => currentOwner()?.fail(new Error('nobody awaits this')));
      await forever(taskId, context);
    }
  });
  for (const taskId of ['stray', 'other']) await enqueue(db, runs, taskId);
  runs.wake();
  await until(async () => (await statusOf(db, 'other')).status === 'COMPLETED');
  await until(async () => (await statusOf(db, 'stray')).status === 'FAILED');
  assert.match((await statusOf(db, 'stray')).error ?? '', /its log has the cause/);
});
