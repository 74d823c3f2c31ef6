// What can go wrong in a cluster: lost processes and nodes, failing stores, changing slots.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { docxOf } from '../../../../tests/support/document-files.ts';
import { forAnyDatabase, longForEachDatabase } from '../../../../tests/support/databases.ts';
import { step } from '../../../../tests/support/engine.ts';
import { startFaultyS3 } from '../../../../tests/support/faulty-s3.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import {
  openClusterBench,
  openPoolPlace,
  openThreadBench,
  outcomeOf,
  outcomeOfRun,
  putAll,
  rowsOf,
  type PoolBench,
} from '../../../../tests/support/pools.ts';
import { sharedS3, versitygw } from '../../../../tests/support/versitygw.ts';
import { until } from '../../../../tests/support/until.ts';
import type { RemoteOrder } from './remote-order.ts';

const tools = [versitygw];
const cleaning = { steps: [step('whitespace-normalizer')] };

async function logOf(bench: PoolBench, runId: string): Promise<string[]> {
  const { lines } = await bench.engine.listLogs(runId, { page: 0, size: 1000 });
  return lines.map(({ message }) => message);
}

forAnyDatabase(
  'work goes on elsewhere when processes and nodes are lost over it, and the result is the same',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const threads = await openThreadBench(place);
    const source = await putAll(threads, { 'a.jsonl': rowsOf(400, (row) => `gate  ${row}`) });
    const gate = join(place.directory, 'gate');
    const recipe = { steps: [step('whitespace-normalizer'), step('gate-waiter', { file: gate })] };
    await writeFile(gate, '');
    const expected = await outcomeOf(threads, source, recipe);
    await threads.close();
    for (const cause of (['killed', 'node', 'killed', 'node'] as const).slice(0, sized(2, 4))) {
      await rm(gate);
      const bench = await openClusterBench(t, place);
      const { id } = await bench.execute(source, recipe);
      await until(() => bench.cluster.sent.some((order) => order.includes('"process"')));
      await until(() => bench.cluster.loseOne(cause));
      await writeFile(gate, '');
      assert.deepEqual(await outcomeOfRun(bench, id), expected);
      await until(() => bench.lost.length > 0);
      assert.equal(bench.cluster.losses, 1);
      await bench.close();
    }
  },
  tools,
);

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

longForEachDatabase(
  'of samples that end processes each is found and fails alone',
  async (t, open) => {
    // Searching a smaller shard takes fewer processes.
    const bench = await openClusterBench(t, await openPoolPlace(t, await open()), { shardBytes: sized(300, 2000) });
    const guilty = [3, 77];
    const source = await putAll(bench, {
      'a.jsonl': rowsOf(200, (row) => (guilty.includes(row) ? 'kill' : `row  ${row}`)),
      'b.txt': 'a  text',
    });
    const steps = [step('whitespace-normalizer'), step('process-killer')];
    const { id } = await bench.execute(source, { steps });
    const outcome = await outcomeOfRun(bench, id);
    assert.equal(outcome.status, 'COMPLETED', outcome.error ?? '');
    assert.deepEqual([outcome.counts.in, outcome.counts.kept, outcome.counts.failed], [201, 199, 2]);
    const failed = outcome.entries.flatMap(({ reason }) => reason ?? []);
    const why = 'reading the sample or one of its steps: the process of its worker was lost (it was killed)';
    assert.deepEqual(failed, [why, why]);
    assert.match((await logOf(bench, id)).join('\n'), /A worker was lost at sample \d+ of its shard/);
    assert.equal(bench.lost.length, bench.cluster.losses);
  },
  tools,
);

forAnyDatabase(
  'a run whose processes are lost before any sample is tried fails, and names the file',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    const bench = await openClusterBench(t, place, {
      change: async (order) => ((order as RemoteOrder).work.task === 'process' ? undefined : order),
    });
    const source = await putAll(bench, { 'a.jsonl': rowsOf(5, (row) => `row ${row}`) });
    const { status, error } = await outcomeOf(bench, source, { steps: [step('process-killer')] });
    assert.equal(status, 'FAILED');
    assert.match(
      error ?? '',
      /^Workers were lost again and again over a\.jsonl: reading the sample or one of its steps/,
    );
  },
  tools,
);

longForEachDatabase(
  'a table is given up only after many losses from outside, or two of its own making, and what was lost is told',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    for (const [cause, losses, isGivenUp] of [
      ['killed', 5, false],
      ['killed', 6, true],
      ['worker', 2, true],
    ] as const) {
      let lost = 0;
      const bench = await openClusterBench(t, place, {
        size: 1,
        pauseMs: 1,
        lose: (order) => ((order as RemoteOrder).work.task === 'scan' && (lost += 1) <= losses ? cause : undefined),
      });
      const source = await putAll(bench, { 'a.jsonl': rowsOf(100, (row) => `row  ${row} of a table`) });
      const { status, counts, entries } = await outcomeOf(bench, source, cleaning);
      const again = 'Work was lost on the cluster and is done again: a.jsonl: it was lost';
      const over = `Work was lost on the cluster ${losses} times and is not tried again: a.jsonl: it was lost`;
      assert.deepEqual(bench.lost, [...Array.from({ length: losses }, () => again), ...(isGivenUp ? [over] : [])]);
      assert.deepEqual([status, counts.in, counts.failed], isGivenUp ? ['COMPLETED', 1, 1] : ['COMPLETED', 100, 0]);
      if (isGivenUp) assert.match(entries[0]?.reason ?? '', /the process of its worker was lost \(it was lost\)/);
      await bench.close();
    }
  },
  tools,
);

longForEachDatabase(
  'no sample fails for processes that are killed by accident while the guilty one is searched for',
  async (t, open) => {
    const place = await openPoolPlace(t, await open());
    let orders = 0;
    const bench = await openClusterBench(t, place, {
      size: 1,
      pauseMs: 1,
      // Six in a row, and then every other one.
      lose(order) {
        if ((order as RemoteOrder).work.task !== 'process') return undefined;
        orders += 1;
        return orders <= 6 || orders % 2 === 0 ? 'killed' : undefined;
      },
    });
    const source = await putAll(bench, { 'a.jsonl': rowsOf(20, (row) => `row  ${row}`) });
    const { status, counts } = await outcomeOf(bench, source, cleaning);
    assert.deepEqual([status, counts.kept, counts.failed], ['COMPLETED', 20, 0]);
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
