import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { systemClock } from '../kernel/clock.ts';
import { createRuns } from './index.ts';

forEachDatabase('many short runs take places of their own first, and no more than all', async (t, open) => {
  const db = await open();
  const logger = { error: (details: object) => assert.fail(JSON.stringify(details)), info: () => {} };
  const runs = createRuns({ db, clock: systemClock, logger, place: 'here', maxDriven: 2, maxShort: 3 });
  const driven: string[] = [];
  let most = 0;
  let isOver = false;
  const ends: (() => void)[] = [];
  const drive = async ({ area }: { area: string }): Promise<void> => {
    driven.push(area);
    most = Math.max(most, driven.length);
    if (!isOver) await new Promise<void>((resolve) => ends.push(resolve));
    driven.splice(driven.indexOf(area), 1);
  };
  runs.register({ kind: 'long', drive });
  runs.register({ kind: 'short', sharesTransactions: true, drive });
  t.after(async () => {
    isOver = true;
    const stopping = runs.stop();
    for (const end of ends) end();
    await stopping;
  });
  const settle = async (area: 'long' | 'short', count: number): Promise<void> => {
    for (let turns = 0; turns < 100_000 && driven.filter((one) => one === area).length !== count; turns += 1)
      await setImmediate();
  };
  const queue = (area: string, from: number, to: number): Promise<void> =>
    db.write((tx) =>
      runs.enqueueFirst(
        tx,
        Array.from({ length: to - from }, (_, at) => ({
          area,
          taskId: `${area}-${from + at}`,
          by: 'anna',
          details: {},
          datasets: [{ datasetId: `set-${from + at}`, role: 'SOURCE' as const, version: 1 }],
        })),
      ),
    );

  await queue('short', 0, 3);
  await queue('long', 0, 4);
  await runs.start();
  await settle('short', 3);
  await settle('long', 2);
  assert.deepEqual(driven.toSorted(), ['long', 'long', 'short', 'short', 'short']);
  await queue('short', 3, 9);
  // Five end, and those queued first follow: short runs also take the long runs' place.
  for (const end of ends.splice(0)) end();
  for (let turns = 0; turns < 100_000 && ends.length < 5; turns += 1) await setImmediate();
  assert.equal(ends.length, 5);
  assert.equal(most, 5);
  assert.ok(await runs.isDatasetBusy(db.read, 'set-8'));
});
