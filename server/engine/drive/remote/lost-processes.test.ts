// Processes and nodes of a cluster are lost over work: it goes on elsewhere, and what ends them is found.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forAnyDatabase, longForEachDatabase } from '../../../../tests/support/databases.ts';
import { step } from '../../../../tests/support/engine.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
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
import { versitygw } from '../../../../tests/support/versitygw.ts';
import { until } from '../../../../tests/support/until.ts';
import type { RemoteOrder } from './remote-order.ts';

const tools = [versitygw];
const cleaning = { steps: [step('whitespace-normalizer')] };

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
