import assert from 'node:assert/strict';
import { createPostgresDatabase, postgres } from '../../tests/support/postgres.ts';
import { templates } from '../../tests/support/template-databases.ts';
import { testWith } from '../../tests/support/tools.ts';
import { systemClock } from '../kernel/clock.ts';
import { openDatabase } from '../storage/database/database.ts';
import { openSignals } from '../storage/database/signals.ts';
import { createRuns, type Runs } from './index.ts';

testWith([postgres], 'another process takes a queued run at once, and lets it go when it is stopped', async (t) => {
  const { url, drop } = await createPostgresDatabase(templates.postgresUrl);
  const db = await openDatabase({ url });
  const logger = { error: () => {}, info: () => {}, warn: () => {} };
  const ends: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const end of ends) await end();
    await db.close();
    await drop();
  });
  let claimedAt = Promise.withResolvers<number>();
  let stoppedAt = Promise.withResolvers<number>();
  const open = async (place: string, maxDriven: number): Promise<Runs> => {
    const signals = await openSignals({ url }, logger);
    const runs = createRuns({ db, clock: systemClock, logger, place, maxDriven, signals });
    runs.register({
      kind: 'long',
      drive: (_run, { signal }) =>
        new Promise((_resolve, reject) => {
          claimedAt.resolve(performance.now());
          signal.addEventListener('abort', () => {
            stoppedAt.resolve(performance.now());
            reject(signal.reason as Error);
          });
        }),
    });
    ends.push(async () => {
      await runs.stop();
      await signals.close();
    });
    await runs.start();
    return runs;
  };
  // The first process only queues runs.
  const queueing = await open('one', 0);
  const driving = await open('two', 1);
  const [claims, stops, hints]: number[][] = [[], [], []];
  for (let round = 0; round < 5; round++) {
    claimedAt = Promise.withResolvers();
    stoppedAt = Promise.withResolvers();
    const run = await db.write((tx) =>
      queueing.enqueue(tx, { area: 'long', taskId: `task-${round}`, by: 'anna', details: {}, datasets: [] }),
    );
    let from = performance.now();
    queueing.wake();
    claims?.push((await claimedAt.promise) - from);
    const told = Promise.withResolvers<number>();
    const forget = driving.onChange(run.id, () => told.resolve(performance.now()));
    from = performance.now();
    assert.equal(await queueing.stopRun(run.id), true);
    stops?.push((await stoppedAt.promise) - from);
    hints?.push((await told.promise) - from);
    forget();
  }
  const shown = (list: number[] | undefined): string => (list ?? []).map((ms) => ms.toFixed(0)).join(', ');
  t.diagnostic(
    `queued to claimed ${shown(claims)} ms, stopped to let go ${shown(stops)} ms, to told ${shown(hints)} ms`,
  );
  // Without hints, processes would poll every 2 s.
  for (const list of [claims, stops, hints]) assert.ok(Math.min(...(list ?? [])) < 1_000);
});
