import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { forAnyDatabase, forEachDatabase } from '../../tests/support/databases.ts';
import { systemClock } from '../kernel/clock.ts';
import { createRuns, RunFailure } from './index.ts';
import { runSentences, foreign } from '../kernel/sentences/index.ts';

forEachDatabase('what belongs to a run ends with it, or the run goes on', async (t, open) => {
  const db = await open();
  const logger = { error: () => {}, info: () => {} };
  const runs = createRuns({ db, clock: systemClock, logger, place: 'here' });
  let drives = 0;
  const ends: { taskId: string; message: string; status: string | undefined }[] = [];
  runs.register({
    kind: 'farm',
    async drive() {
      drives += 1;
      throw new RunFailure(foreign(`drive ${drives}`));
    },
    async ended(tx, { taskId, error }) {
      if (drives === 1) throw new Error('the disk is full');
      const run = await tx.selectFrom('runs').select('status').where('task_id', '=', taskId).executeTakeFirst();
      ends.push({ taskId, message: (error as Error).message, status: run?.status });
    },
  });
  t.after(() => runs.stop());
  await runs.start();
  await db.write((tx) => runs.enqueue(tx, { area: 'farm', taskId: 'field', by: 'anna', details: {}, datasets: [] }));
  runs.wake();
  while (ends.length === 0) await setTimeout(20);
  assert.deepEqual(ends, [{ taskId: 'field', message: 'drive 2', status: 'FAILED' }]);
});

forAnyDatabase('a reason that a person can change is no error in the log of the service', async (t, open) => {
  const db = await open();
  type Details = { reason?: string; err?: Error };
  const lines: [level: string, details: Details][] = [];
  const logger = {
    error: (details: Details) => lines.push(['error', details]),
    info: (details: Details) => lines.push(['info', details]),
  };
  const runs = createRuns({ db, clock: systemClock, logger, place: 'here' });
  runs.register({
    kind: 'farm',
    async drive({ taskId }) {
      throw taskId === 'mistake' ? new RunFailure(runSentences.SOURCE_DELETED.reason({})) : new TypeError('a fault');
    },
  });
  t.after(() => runs.stop());
  await runs.start();
  for (const taskId of ['mistake', 'fault']) {
    await db.write((tx) => runs.enqueue(tx, { area: 'farm', taskId, by: 'anna', details: {}, datasets: [] }));
    runs.wake();
    while (!lines.some(([level]) => level === (taskId === 'mistake' ? 'info' : 'error'))) await setTimeout(20);
  }
  const [mistake, fault] = lines;
  assert.deepEqual([mistake?.[0], mistake?.[1].reason], ['info', 'The source dataset was deleted']);
  assert.deepEqual([fault?.[0], fault?.[1].err?.message], ['error', 'a fault']);
});
