import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fails } from '../../tests/support/app-errors.ts';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { createSleep } from '../../tests/support/sleep-area/index.ts';
import { createRuns, isUnfinished, type Run, type Runs } from '../runs/index.ts';
import type { Database } from '../storage/database/database.ts';
import { createRunList, createTaskFloor, type RunList } from './index.ts';

type Bench = ReturnType<typeof createSleep> & {
  db: Database;
  runs: Runs;
  list: RunList;
  /** Sets the clock. */
  at(time: string): void;
  warnings: string[];
  ended(run: Run): Promise<Run>;
};

const by = 'erin';
const brief = { name: 'Brief', steps: 2, stepMs: 1 };
const long = { name: 'Long', steps: 1000, stepMs: 50 };

function open(t: TestContext, db: Database): Bench {
  let now = new Date('2026-03-01T08:00:00.000Z');
  const clock = { now: () => now };
  const warnings: string[] = [];
  const logger = {
    error: (_details: object, message: string) => void warnings.push(message),
    warn: (_details: object, message: string) => void warnings.push(message),
    info: () => {},
  };
  const runs = createRuns({ db, clock, logger });
  const floor = createTaskFloor({ db, clock, logger, runs });
  const sleep = createSleep({ runs, tasks: floor });
  t.after(async () => {
    await floor.stop();
    await runs.stop();
  });
  return {
    ...sleep,
    db,
    runs,
    list: createRunList({ db, runs, runNames: sleep.runNames }),
    warnings,
    at: (time) => void (now = new Date(time)),
    async ended(run) {
      for (;;) {
        const seen = await sleep.tasks.getRun(run.taskId, run.id);
        if (!isUnfinished(seen)) return seen;
        await setTimeout(10);
      }
    },
  };
}

forEachDatabase('an area that says what it does has tasks with all that belongs to them', async (t, openDb) => {
  const { tasks, ended, list } = open(t, await openDb());
  const task = await tasks.create({ ...brief, description: 'Two naps' }, by);
  assert.deepEqual([task.status, task.steps, task.lastRunId, task.schedule], ['PENDING', 2, null, null]);
  const first = await ended(await tasks.execute(task.id, {}, by));
  assert.deepEqual([first.status, first.number, first.progress, first.phase], ['COMPLETED', 1, 100, 'SLEEP']);
  assert.deepEqual(first.counts, { in: 2, kept: 2, changed: 0, dropped: 0, failed: 0, emitted: 2 });
  const second = await tasks.execute(task.id, {}, 'other');
  assert.equal(second.number, 2);
  await ended(second);

  const changed = await tasks.update(task.id, { steps: 3 }, by);
  assert.deepEqual(
    [changed.name, changed.description, changed.steps, changed.status],
    ['Brief', 'Two naps', 3, 'COMPLETED'],
  );
  const { content } = await tasks.list({ page: 0, size: 10, keyword: 'NAPS', status: 'COMPLETED' });
  assert.deepEqual(content, [changed]);
  assert.equal((await tasks.list({ page: 0, size: 10, status: 'RUNNING' })).totalElements, 0);
  assert.equal((await tasks.listLogs(task.id, first.id, { page: 0, size: 10 })).content.at(-1)?.message, 'Completed');

  const all = await list.listRuns({ page: 0, size: 10, area: 'sleep' });
  assert.deepEqual(
    all.content.map(({ id, taskName }) => [id, taskName]),
    [
      [second.id, 'Brief'],
      [first.id, 'Brief'],
    ],
  );
  assert.equal((await list.listRuns({ page: 0, size: 10, createdBy: 'other' })).totalElements, 1);
  assert.equal((await list.listRuns({ page: 0, size: 10, status: 'FAILED' })).totalElements, 0);
  assert.equal((await list.listRuns({ page: 0, size: 10, area: 'rag' })).totalElements, 0);

  await tasks.remove(task.id);
  await assert.rejects(tasks.get(task.id), fails('TASK_NOT_FOUND'));
  assert.equal((await list.listRuns({ page: 0, size: 10 })).totalElements, 0);
});

forEachDatabase('what a running task refuses, and what a stopped one goes on from', async (t, openDb) => {
  const { tasks, ended } = open(t, await openDb());
  const { id } = await tasks.create(long, by);
  await assert.rejects(tasks.stop(id), fails('TASK_NOT_RUNNING'));
  await assert.rejects(tasks.execute(id, { resume: true }, by), fails('NOTHING_TO_RESUME'));
  const run = await tasks.execute(id, {}, by);
  for (const refused of [
    () => tasks.execute(id, {}, by),
    () => tasks.update(id, { steps: 1 }, by),
    () => tasks.remove(id),
  ])
    await assert.rejects(refused, fails('TASK_RUNNING'));
  while ((await tasks.getRun(id, run.id)).counts.in < 3) await setTimeout(10);
  const stopped = await tasks.stop(id);
  assert.equal(stopped.status, 'STOPPED');
  assert.deepEqual((await ended(run)).counts, stopped.counts, 'nothing is written after the stop');

  const resumed = await tasks.execute(id, { resume: true }, by);
  assert.deepEqual([resumed.resumedFrom, resumed.counts], [run.id, stopped.counts]);
  await tasks.stop(id);
  await tasks.update(id, { steps: 2000 }, by);
  await assert.rejects(tasks.execute(id, { resume: true }, by), fails('TASK_CHANGED'));
});

forEachDatabase('the runs of a page of tasks are asked for at once', async (t, openDb) => {
  const db = await openDb();
  let questions = 0;
  const read = new Proxy(db.read, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (key === 'selectFrom' && args[0] === 'runs') questions += 1;
        return Reflect.apply(value, target, args);
      };
    },
  });
  const { tasks, ended } = open(t, { ...db, read });
  for (let number = 0; number < 5; number += 1) {
    const { id } = await tasks.create({ ...brief, name: `Task ${number}` }, by);
    await ended(await tasks.execute(id, {}, by));
  }
  questions = 0;
  const { content } = await tasks.list({ page: 0, size: 10 });
  assert.deepEqual([content.length, questions], [5, 1]);
  assert.ok(content.every(({ status }) => status === 'COMPLETED'));
});

forEachDatabase('a schedule executes its task: once for all that was missed, and in one process', async (t, openDb) => {
  const db = await openDb();
  const bench = open(t, db);
  const other = open(t, db);
  const { tasks } = bench;
  const schedule = { cron: '30 9 * * *', timezone: 'Europe/Berlin' };
  const { id, schedule: shown } = await tasks.create({ ...brief, schedule }, by);
  const noted = { note: null, noteCode: null, noteParams: null };
  assert.deepEqual(shown, { ...schedule, nextRunAt: '2026-03-01T08:30:00.000Z', ...noted });
  await tasks.fire(id);
  assert.equal((await tasks.listRuns(id, { page: 0, size: 10 })).totalElements, 0, 'its time has not come');

  // Three weeks later: 28 times were missed, and daylight saving has begun.
  for (const each of [bench, other]) each.at('2026-03-29T12:00:00.000Z');
  await Promise.all([tasks.fire(id), other.tasks.fire(id), tasks.fire(id), other.tasks.fire(id)]);
  const { content: runs } = await tasks.listRuns(id, { page: 0, size: 10 });
  assert.deepEqual(
    runs.map(({ createdBy }) => createdBy),
    [by],
  );
  for (const run of runs) await bench.ended(run);
  assert.equal((await tasks.get(id)).schedule?.nextRunAt, '2026-03-30T07:30:00.000Z');
  const { content: log } = await tasks.listLogs(id, runs[0]?.id ?? '', { page: 0, size: 10 });
  assert.match(log[0]?.message ?? '', /by its schedule of 2026-03-01T08:30/);

  const unchanged = await tasks.update(id, { steps: 3 }, by);
  assert.equal(unchanged.schedule?.nextRunAt, '2026-03-30T07:30:00.000Z', 'a change of something else leaves it alone');
  const ended = await tasks.update(id, { schedule: null }, by);
  assert.equal(ended.schedule, null);
  bench.at('2026-04-01T12:00:00.000Z');
  await tasks.fire(id);
  assert.equal((await tasks.listRuns(id, { page: 0, size: 10 })).totalElements, 1);
});

forEachDatabase('a time that comes while the run before goes on is left out, and said so', async (t, openDb) => {
  const bench = open(t, await openDb());
  const { tasks } = bench;
  const { id } = await tasks.create({ ...long, schedule: { cron: '0 * * * *' } }, by);
  const run = await tasks.execute(id, {}, by);
  bench.at('2026-03-01T09:00:05.000Z');
  await tasks.fire(id);
  const { schedule } = await tasks.get(id);
  assert.equal(schedule?.nextRunAt, '2026-03-01T10:00:00.000Z');
  assert.match(schedule.note ?? '', /2026-03-01T09:00:00.000Z was left out: the one before was still going on/);
  assert.equal(schedule.noteCode, 'SCHEDULE_LEFT_OUT');
  assert.deepEqual(schedule.noteParams, {
    time: '2026-03-01T09:00:00.000Z',
    why: { code: 'STILL_GOING_ON', params: {} },
  });
  assert.equal((await tasks.listRuns(id, { page: 0, size: 10 })).totalElements, 1);
  const { content: log } = await tasks.listLogs(id, run.id, { page: 0, size: 10 });
  assert.ok(log.some(({ level, message }) => level === 'WARN' && message.includes('09:00')));
  assert.equal(bench.warnings.length, 1);
  await tasks.stop(id);
});

forEachDatabase('a stored schedule without times by the rules of today ends with a note', async (t, openDb) => {
  const bench = open(t, await openDb());
  const { tasks, db } = bench;
  const { id } = await tasks.create({ ...brief, schedule: { cron: '0 9 * * *' } }, by);
  await db.write((tx) => tx.updateTable('tasks').set({ schedule_cron: '0 0 31 2 */1' }).where('id', '=', id).execute());
  bench.at('2026-03-01T09:00:05.000Z');
  await tasks.fire(id);
  const { schedule } = await tasks.get(id);
  assert.equal(schedule?.nextRunAt, null);
  assert.equal(
    schedule.note,
    'The run of 2026-03-01T09:00:00.000Z was left out: schedule.cron never matches a date: 0 0 31 2 */1',
  );
  assert.equal(bench.warnings.length, 1);
  assert.equal((await tasks.listRuns(id, { page: 0, size: 10 })).totalElements, 0);
});
