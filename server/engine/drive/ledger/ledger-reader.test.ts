import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openEngine, step } from '../../../../tests/support/engine.ts';
import { rowsOf } from '../../../../tests/support/pools.ts';

forAnyDatabase('a ledger of many shards has every sample once, in its order', async (t, openDb) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-ledger-'));
  t.after(() => rm(directory, { recursive: true }));
  const bench = await openEngine(await openDb(), directory, { shardBytes: 20 });
  t.after(() => bench.close());
  // More shards than are read from the database at once.
  const count = 110;
  const source = [
    await bench.put(
      'a.jsonl',
      rowsOf(count, (row) => `row ${row}`),
    ),
  ];
  const steps = [step('text-length-filter', { min: 6 })];
  const run = await bench.ended((await bench.execute(source, { steps })).id);
  assert.deepEqual([run.counts.in, run.counts.dropped], [count, 10]);
  const all = Array.from({ length: count }, (_, row) => row + 1);
  for (const filter of [{}, { filePath: 'a.jsonl' }, { search: 'row' }]) {
    const found: (number | null)[] = [];
    for (const page of [0, 1]) {
      const { entries, total } = await bench.engine.readLedger(run, filter, { page, size: 100 });
      assert.equal(total, count, JSON.stringify(filter));
      found.push(...entries.map(({ row }) => row));
    }
    assert.deepEqual(found, all, JSON.stringify(filter));
  }
});
