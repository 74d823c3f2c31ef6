import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { createPostgresDatabase, postgres } from '../../tests/support/postgres.ts';
import { templates } from '../../tests/support/template-databases.ts';
import { testWith } from '../../tests/support/tools.ts';
import { systemClock } from '../kernel/clock.ts';
import { createRateLimits, type RateLimits } from '../kernel/rate-limits.ts';
import { openDatabase } from '../storage/database/database.ts';
import { openSignals } from '../storage/database/signals.ts';
import { createNodes, type Nodes } from './index.ts';

testWith([postgres], 'nodes share limits as they come, go and die', async (t) => {
  const { url, drop } = await createPostgresDatabase(templates.postgresUrl);
  const db = await openDatabase({ url });
  const logger = { info: () => {}, error: () => {}, warn: () => {} };
  const ends = new Map<Nodes, () => Promise<void>>();
  const outdated: Error[] = [];
  t.after(async () => {
    for (const end of ends.values()) await end();
    await db.close();
    await drop();
  });
  const start = async (place: string): Promise<{ nodes: Nodes; limits: RateLimits }> => {
    const signals = await openSignals({ url }, logger);
    const onOutdated = (error: Error): void => void outdated.push(error);
    const nodes = createNodes({ db, clock: systemClock, signals, version: '1.2.3', place, logger, onOutdated });
    ends.set(nodes, async () => {
      await nodes.leave();
      await signals.close();
    });
    await nodes.start();
    nodes.serve(`10.0.0.1:${place}`);
    const times = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };
    const windows = [{ limit: 31, spanMs: 3_600_000 }];
    return { nodes, limits: createRateLimits({ windows, ...times, shareOf: (limit) => nodes.shareOf(limit) }) };
  };
  const until = async (condition: () => boolean, what: string): Promise<void> => {
    for (let tries = 0; !condition(); tries++) {
      assert.ok(tries < 1_000, what);
      await pause(20);
    }
  };
  const takeAll = (limits: RateLimits): number => {
    let taken = 0;
    while (limits.take('caller')?.allowed === true) taken += 1;
    return taken;
  };
  const shares = (...all: { nodes: Nodes }[]): number[] =>
    all.map(({ nodes }) => nodes.shareOf(31)).toSorted((a, b) => a - b);

  const one = await start('1');
  assert.equal(one.nodes.shareOf(31), 31);
  const two = await start('2');
  await until(() => shares(one, two).join() === '15,16', 'two nodes share');
  assert.equal(takeAll(one.limits) + takeAll(two.limits), 31);
  assert.equal(two.limits.peek('caller')?.remaining, 0);
  const three = await start('3');
  await until(() => shares(one, two, three).join() === '10,10,11', 'three nodes share');
  // Calls counted by the first two stay counted; after a change, the sum may exceed the limit by the new node's share.
  assert.equal(takeAll(one.limits) + takeAll(two.limits), 0);
  assert.ok(takeAll(three.limits) <= 11);
  // Under small limits, each node still serves at least one call.
  assert.deepEqual(
    [one, two, three].map(({ nodes }) => nodes.shareOf(2)),
    [1, 1, 1],
  );

  three.nodes.drain();
  await until(() => shares(one, two).join() === '15,16', 'one that is about to stop needs no share');
  assert.deepEqual(
    (await one.nodes.list()).map(({ state }) => state),
    ['SERVING', 'SERVING', 'DRAINING'],
  );
  await ends.get(three.nodes)?.();
  ends.delete(three.nodes);
  assert.equal((await one.nodes.list()).length, 2);

  // Silent for so long that the others declared it dead: it rejoins with a new id.
  const before = two.nodes.id;
  await db.read.deleteFrom('nodes').where('id', '=', before).execute();
  await until(() => two.nodes.id !== before, 'it has another id');
  await until(() => shares(one, two).join() === '15,16', 'and a share');

  // A newer release contracts the schema while a node is away: the node must not continue.
  await db.read
    .insertInto('kysely_migration' as 'nodes')
    .values({ name: '9999-contract', timestamp: '2099-01-01' } as never)
    .execute();
  await db.read.deleteFrom('nodes').where('id', '=', two.nodes.id).execute();
  await until(() => outdated.length > 0, 'it says that it is outdated');
  assert.match(outdated[0]?.message ?? '', /newer release of Tilth \(its migration 9999-contract/);
});
