// What can go wrong in a cluster besides lost processes: failing stores, changing slots, other releases.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { docxOf } from '../../../../tests/support/document-files.ts';
import { forAnyDatabase, longForEachDatabase } from '../../../../tests/support/databases.ts';
import { step } from '../../../../tests/support/engine.ts';
import { startFaultyS3 } from '../../../../tests/support/faulty-s3.ts';
import {
  logOf,
  openClusterBench,
  openPoolPlace,
  openThreadBench,
  outcomeOf,
  outcomeOfRun,
  putAll,
  rowsOf,
} from '../../../../tests/support/pools.ts';
import { sharedS3, versitygw } from '../../../../tests/support/versitygw.ts';
import { until } from '../../../../tests/support/until.ts';
import type { RemoteOrder } from './remote-order.ts';

const tools = [versitygw];
const cleaning = { steps: [step('whitespace-normalizer')] };

forAnyDatabase(
  'a run is bound to the process that queued it unless all have the same bytes',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    for (const shared of [undefined, place.store.shared]) {
      const bench = await openThreadBench(place, { store: { ...place.store, shared } });
      const source = await putAll(bench, { 'a.jsonl': rowsOf(5, (row) => `row ${row}`) });
      const { id } = await bench.execute(source, cleaning);
      const { bound_to } = await place.db.read
        .selectFrom('runs')
        .select('bound_to')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const isBound = place.db.dialect === 'postgres' && shared === undefined;
      assert.equal(bound_to !== null, isBound);
      assert.equal((await outcomeOfRun(bench, id)).status, 'COMPLETED');
      await bench.close();
    }
  },
  tools,
);

forAnyDatabase(
  'a run that is stopped cancels its orders and lets go of its bytes',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const bench = await openClusterBench(t, place);
    const gate = join(place.directory, 'gate');
    const source = await putAll(bench, { 'a.jsonl': rowsOf(400, () => 'gate') });
    const { id } = await bench.execute(source, { steps: [step('gate-waiter', { file: gate })] });
    await until(() => bench.cluster.sent.some((order) => order.includes('"process"')));
    const since = performance.now();
    await bench.engine.stopRun(id);
    assert.equal((await bench.ended(id)).status, 'STOPPED');
    assert.ok(performance.now() - since < 5000);
    await until(() => bench.cluster.cancelled > 0);
    await writeFile(gate, '');
    const next = await outcomeOf(bench, source, cleaning);
    assert.equal(next.status, 'COMPLETED', 'the cluster does the next run');
  },
  tools,
);

longForEachDatabase(
  'as many orders are under way as the cluster has slots, and a quarter more, also when that changes',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const bench = await openClusterBench(t, place, { size: 3 });
    const gate = join(place.directory, 'gate');
    const source = await putAll(bench, { 'a.jsonl': rowsOf(1500, () => 'gate') });
    bench.cluster.tellSlots(1);
    const { id } = await bench.execute(source, { steps: [step('gate-waiter', { file: gate })] });
    const processing = (): number => bench.cluster.sent.filter((order) => order.includes('"process"')).length;
    await until(() => processing() === 2);
    await pause(200);
    assert.deepEqual([processing(), bench.cluster.mostAtOnce], [2, 2]);
    bench.cluster.tellSlots(3);
    await until(() => processing() === 3);
    await until(() => bench.cluster.mostAtOnce === 4);
    await writeFile(gate, '');
    assert.equal((await outcomeOfRun(bench, id)).status, 'COMPLETED');
    assert.equal(bench.cluster.mostAtOnce, 4);
  },
  tools,
);

forAnyDatabase(
  'all work fails when the cluster is gone',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const bench = await openClusterBench(t, place);
    const source = await putAll(bench, { 'a.jsonl': rowsOf(400, () => 'gate') });
    const gate = join(place.directory, 'gate');
    const { id } = await bench.execute(source, { steps: [step('gate-waiter', { file: gate })] });
    await until(() => bench.cluster.sent.some((order) => order.includes('"process"')));
    bench.cluster.lines.input.end();
    assert.equal((await outcomeOfRun(bench, id)).status, 'FAILED');
    const again = await outcomeOf(bench, source, cleaning);
    assert.equal(again.status, 'FAILED', 'and so does what comes later');
  },
  tools,
);

forAnyDatabase(
  'cut connections and errors of the object store are tried again',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const faulty = await startFaultyS3(t, (await sharedS3()).endpoint);
    const bench = await openClusterBench(t, place, { env: { TILTH_STORAGE_ENDPOINT: faulty.endpoint } });
    const source = await putAll(bench, {
      'a.jsonl': rowsOf(1000, (row) => `row  ${row}`),
      'b.docx': docxOf(['A  paragraph']),
    });
    let calls = 0;
    faulty.decide = () => {
      calls += 1;
      if (calls % 5 === 0) return { kind: 'cut', afterBytes: 100 };
      return calls % 3 === 0 ? { kind: 'status', status: 503, code: 'SlowDown' } : undefined;
    };
    const outcome = await outcomeOf(bench, source, cleaning);
    assert.deepEqual([outcome.status, outcome.counts.kept], ['COMPLETED', 1001], outcome.error ?? '');
    assert.ok(calls > 15, `${calls} calls`);
  },
  tools,
);

forAnyDatabase(
  'an object store that refuses a worker fails the run at once, in its words',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const bench = await openClusterBench(t, place, { env: { AWS_ACCESS_KEY_ID: 'nobody' }, size: 1 });
    const source = await putAll(bench, { 'a.jsonl': rowsOf(10, (row) => `row ${row}`) });
    const { status, error } = await outcomeOf(bench, source, cleaning);
    assert.equal(status, 'FAILED');
    assert.match(error ?? '', /^The object store refuses this service/);
    assert.equal(bench.cluster.sent.length, 1);
  },
  tools,
);

longForEachDatabase(
  'a run whose object store stays away after some tries waits for it, and says so',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const faulty = await startFaultyS3(t, (await sharedS3()).endpoint);
    faulty.decide = () => ({ kind: 'status', status: 500, code: 'InternalError' });
    const bench = await openClusterBench(t, place, { env: { TILTH_STORAGE_ENDPOINT: faulty.endpoint }, size: 1 });
    const source = await putAll(bench, { 'a.jsonl': rowsOf(10, (row) => `row ${row}`) });
    const { id } = await bench.execute(source, cleaning);
    const waits = /^Waiting for the object store: The object store failed although the call was repeated/;
    let told: string[] = [];
    await until(async () => {
      told = (await logOf(bench, id)).filter((message) => waits.test(message));
      return told.length > 0;
    });
    assert.ok(bench.cluster.sent.length >= 5, `${bench.cluster.sent.length} orders`);
    faulty.decide = () => undefined;
    const outcome = await outcomeOfRun(bench, id);
    assert.deepEqual([outcome.status, outcome.counts.kept], ['COMPLETED', 10], outcome.error ?? '');
    told = (await logOf(bench, id)).filter((message) => waits.test(message));
    assert.equal(told.length, 1, 'once however often it is tried');
  },
  tools,
);

longForEachDatabase(
  'work that finds no room on the disk of a node is tried for long, told once, and fails with the name of the node',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const env = { TILTH_STORAGE_SCRATCH_MB: '64' };
    const bench = await openClusterBench(t, place, { env, size: 1, shardBytes: 80 << 20 });
    const source = await putAll(bench, { 'a.jsonl': rowsOf(9_000, (row) => `row ${row} ${'x'.repeat(8_000)}`) });
    const { status, error } = await outcomeOf(bench, source, cleaning);
    const why = `A copy of \\d+ bytes of stored data does not fit on the disk .* \\(on the node ${hostname()} of the cluster\\)`;
    assert.equal(status, 'FAILED');
    assert.match(error ?? '', new RegExp(`^${why}; free some space there and resume the run$`));
    assert.equal(bench.cluster.sent.length, 12);
    const told = bench.lost.filter((message) =>
      new RegExp(`^Work could not be done on the cluster yet and is tried again: a.jsonl: ${why}$`).test(message),
    );
    assert.equal(told.length, 1, bench.lost.join('\n'));
  },
  tools,
);

longForEachDatabase(
  'bytes that a sweep has put elsewhere meanwhile are read there',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const { db } = place;
    const moves: (() => Promise<void>)[] = [];
    // In one shard, and in a separate object.
    const bench = await openClusterBench(t, place, {
      shardBytes: 4 << 20,
      async change(order) {
        await moves.pop()?.();
        return order;
      },
    });
    const source = await putAll(bench, { 'a.jsonl': rowsOf(40_000, (row) => `row ${row}`) });
    const [row] = await place.store.shared.locate(source.flatMap(({ blobId }) => blobId ?? []));
    assert.ok(row !== undefined);
    const putAt = async (objectId: string): Promise<void> => {
      await db.write((tx) => tx.updateTable('blobs').set({ object_id: objectId }).where('id', '=', row.id).execute());
    };
    await putAt('where-they-were');
    moves.push(() => putAt(row.object_id));
    const outcome = await outcomeOf(bench, source, cleaning);
    assert.deepEqual([outcome.status, outcome.counts.kept], ['COMPLETED', 40_000], outcome.error ?? '');
    assert.equal(bench.cluster.sent.length, 2);
  },
  tools,
);

forAnyDatabase(
  'workers of another release are told from broken ones, and what a worker writes besides is no answer',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const talking = await openClusterBench(t, place);
    const source = await putAll(talking, { 'a.jsonl': rowsOf(10, (row) => `{"id":"${row}"}`) });
    assert.equal((await outcomeOf(talking, source, { steps: [step('talker')] })).counts.kept, 10);
    await talking.close();
    const old = await openClusterBench(t, place, {
      change: async (order) => ({ ...(order as RemoteOrder), format: 0 }),
    });
    const { error } = await outcomeOf(old, source, cleaning);
    assert.match(error ?? '', /The workers of the cluster are of another release/);
  },
  tools,
);
