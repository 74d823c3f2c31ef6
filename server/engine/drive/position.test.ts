import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachDatabase } from '../../../tests/support/databases.ts';
import { openBench, step } from '../../../tests/support/engine.ts';
import { until } from '../../../tests/support/until.ts';
import { findPosition } from './position.ts';

forEachDatabase('a run is found at the shard or the comparison at which it stands', async (t, openDb) => {
  const db = await openDb();
  // Shards reach the workers in any order: the gate of the second must not hold the only one.
  const bench = await openBench(t, db, { shardFiles: 1, workers: 2 });
  const [signing = '', comparing = ''] = ['signing', 'comparing'].map((name) => join(bench.directory, name));
  const row = (text: string): string => `${JSON.stringify({ text })}\n`;
  const files = [await bench.put('a.jsonl', row('a row')), await bench.put('b.jsonl', row('gate'))];
  const steps = [step('gate-waiter', { file: signing }), step('gate-comparer', { file: comparing })];
  const { id } = await bench.execute(files, { steps });
  const reaches = (position: string): Promise<void> =>
    until(async () => {
      const run = await db.read.selectFrom('runs').select(['status', 'error']).executeTakeFirstOrThrow();
      assert.notEqual(run.status, 'FAILED', run.error ?? '');
      return (await findPosition(db.read, id))?.text === position;
    });
  await reaches('shard 1 (b.jsonl)');
  assert.equal((await db.read.selectFrom('runs').select('phase').executeTakeFirstOrThrow()).phase, 'COMPARE');
  await writeFile(signing, '');
  await reaches('the comparison of step 2');
  await writeFile(comparing, '');
  assert.equal((await bench.ended(id)).status, 'COMPLETED');
});
