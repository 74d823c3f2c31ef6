import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { systemClock } from '../kernel/clock.ts';
import { blobErrors } from '../storage/blobs/errors.ts';
import { createRuns } from './index.ts';

forEachDatabase('a run waits for an object store that is away, and says so once', async (t, open) => {
  const db = await open();
  const logger = { error: () => {}, info: () => {} };
  const runs = createRuns({ db, clock: systemClock, logger, place: 'here' });
  let drives = 0;
  runs.register({
    kind: 'farm',
    async drive() {
      drives += 1;
      const away = blobErrors.OBJECT_STORE_UNAVAILABLE({ problem: 'ECONNREFUSED' });
      if (drives === 1) throw away;
      if (drives === 2) throw new Error('a shard could not be read', { cause: away });
    },
  });
  t.after(() => runs.stop());
  await runs.start();
  const task = { area: 'farm', taskId: 'field', by: 'anna', details: {}, datasets: [] };
  const { id } = await db.write((tx) => runs.enqueue(tx, task));
  runs.wake();
  const find = () => db.read.selectFrom('runs').select(['status', 'epoch']).where('id', '=', id).executeTakeFirst();
  let run = await find();
  while (run?.status !== 'COMPLETED' && run?.status !== 'FAILED') {
    await setTimeout(20);
    run = await find();
  }
  assert.deepEqual([run.status, drives], ['COMPLETED', 3]);
  const logged = await db.read.selectFrom('run_logs').select(['level', 'message']).where('run_id', '=', id).execute();
  assert.deepEqual(
    logged.filter(({ level }) => level === 'WARN').map(({ message }) => message),
    ['Waiting for the object store: The object store failed although the call was repeated (ECONNREFUSED); try again'],
  );
});
