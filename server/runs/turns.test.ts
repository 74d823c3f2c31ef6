import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { systemClock } from '../kernel/clock.ts';
import { createRuns } from './index.ts';

forEachDatabase('owners of waiting runs take turns', async (t, open) => {
  const db = await open();
  const logger = { error: (details: object) => assert.fail(JSON.stringify(details)), info: () => {} };
  const runs = createRuns({ db, clock: systemClock, logger, place: 'here', maxDriven: 0, maxShort: 1 });
  const driven: string[] = [];
  let end: (() => void) | undefined;
  let isOver = false;
  runs.register({
    kind: 'short',
    sharesTransactions: true,
    needsOwnPlace: true,
    drive: async ({ taskId }) => {
      driven.push(taskId);
      if (!isOver) await new Promise<void>((resolve) => (end = resolve));
    },
  });
  t.after(async () => {
    isOver = true;
    const stopping = runs.stop();
    end?.();
    await stopping;
  });
  const queue = (owner: string, from: number, to: number): Promise<void> => {
    const all = Array.from({ length: to - from }, (_, at) => `${owner}${from + at}`);
    return db.write((tx) =>
      runs.enqueueFirst(
        tx,
        all.map((taskId) => ({ area: 'short', taskId, owner, by: 'anna', details: {}, datasets: [] })),
      ),
    );
  };
  /** Ends the current run and waits for the next one. */
  const next = async (): Promise<void> => {
    const before = driven.length;
    end?.();
    for (let turns = 0; turns < 100_000 && driven.length === before; turns += 1) await setImmediate();
  };

  await queue('many', 0, 300);
  await runs.start();
  for (let turns = 0; turns < 100_000 && driven.length === 0; turns += 1) await setImmediate();
  for (let count = 1; count < 20; count += 1) await next();
  await queue('few', 0, 2);
  await db.write((tx) => runs.enqueue(tx, { area: 'short', taskId: 'alone', by: 'anna', details: {}, datasets: [] }));
  for (let count = 0; count < 5; count += 1) await next();
  assert.deepEqual(driven.slice(20).toSorted(), ['alone', 'few0', 'few1', 'many20', 'many21']);
  // Runs queued later come after those of the same owner only.
  await queue('many', 300, 301);
  await queue('few', 2, 4);
  for (let count = 0; count < 4; count += 1) await next();
  assert.deepEqual(driven.slice(25).toSorted(), ['few2', 'few3', 'many22', 'many23']);
  for (let count = 0; count < 277; count += 1) await next();
  assert.equal(driven.at(-1), 'many300');
});
