import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { openEngine, step } from '../../tests/support/engine.ts';

forEachDatabase('old runs go with their logs and ledgers, but for the latest ten of a task', async (t, openDb) => {
  const db = await openDb();
  const directory = await mkdtemp(join(tmpdir(), 'tilth-retention-'));
  const told: object[] = [];
  const bench = await openEngine(db, directory, {
    retentionDays: 30,
    logger: { info: (run) => void told.push(run) },
  });
  t.after(async () => {
    await bench.close();
    await rm(directory, { recursive: true });
  });
  const source = [await bench.put('r.jsonl', '{"text":"throw"}\n{"text":"fine"}\n')];
  const ids: string[] = [];
  for (let number = 0; number < 13; number += 1) {
    const { id } = await bench.execute(source, { steps: [step('word-thrower')] }, { taskId: 'task' });
    await bench.ended(id);
    ids.push(id);
  }
  const other = await bench.execute(source, { steps: [step('word-thrower')] }, { taskId: 'other' });
  await bench.ended(other.id);
  const blobs = async (): Promise<number> =>
    (await db.read.selectFrom('blobs').select('id').where('refs', '>', 0).execute()).length;
  const held = await blobs();

  await bench.engine.eraseExpired();
  assert.equal((await bench.engine.listRuns('test', 'task', { page: 0, size: 100 })).total, 13, 'none is old');
  const longAgo = new Date(Date.now() - 31 * 86_400_000).toISOString();
  await db.write((tx) => tx.updateTable('runs').set({ finished_at: longAgo }).execute());
  await bench.engine.eraseExpired();

  const { runs } = await bench.engine.listRuns('test', 'task', { page: 0, size: 100 }, 'asc');
  assert.deepEqual(
    runs.map(({ id, number }) => [id, number]),
    ids.slice(3).map((id, index) => [id, index + 4]),
  );
  assert.equal((await bench.engine.listRuns('test', 'other', { page: 0, size: 100 })).total, 1);
  assert.deepEqual(
    told.map((run) => (run as { number: number }).number),
    [1, 2, 3],
  );
  for (const table of ['run_logs', 'shards', 'run_datasets'] as const) {
    const left = await db.read.selectFrom(table).select('run_id').distinct().execute();
    assert.deepEqual(new Set(left.map(({ run_id }) => run_id)), new Set([...ids.slice(3), other.id]), table);
  }
  assert.equal(held - (await blobs()), 3, 'a ledger for each run that went');
  const next = await bench.execute(source, { steps: [step('word-thrower')] }, { taskId: 'task' });
  assert.equal(next.number, 14);
  await bench.ended(next.id);
});
