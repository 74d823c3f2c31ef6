// A run is stopped, resumed and deleted, and no row is processed twice or lost.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { forAnyDatabase, forEachDatabase } from '../../../tests/support/databases.ts';
import { ledgerOf, openBench, openEngine, runToEnd, step, type EngineBench } from '../../../tests/support/engine.ts';
import type { Database } from '../../storage/database/database.ts';
import { isUniqueViolation } from '../../storage/database/sql.ts';
import type { EngineOptions, Step } from '../index.ts';
import { listShards } from './queries/shards.ts';

type Bench = EngineBench & { gate: Gate };

async function open(t: TestContext, db: Database, options: Partial<EngineOptions> = {}): Promise<Bench> {
  const bench = await openBench(t, db, options);
  const { directory } = bench;
  return { ...bench, gate: gateIn(directory) };
}

/** A step that holds back texts with the word `gate` until the gate is open. */
type Gate = { step: Step; open(): Promise<void> };

function gateIn(directory: string): Gate {
  const file = join(directory, 'gate');
  return { step: step('gate-waiter', { file }), open: () => writeFile(file, '') };
}

/** Rows; those from number 40 on wait at the gate. */
function gatedRows(count: number): string {
  return Array.from({ length: count }, (_, row) => `{"text":"${row < 40 ? 'row' : 'gate'} ${row}"}\n`).join('');
}

forEachDatabase('a task has one unfinished run', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = [await bench.put('r.jsonl', '{"text":"gate"}\n')];
  const executions = await Promise.allSettled(
    [1, 2, 3].map(() => bench.execute(source, { steps: [bench.gate.step] }, { taskId: 'task' })),
  );
  const refused = executions.filter((execution) => execution.status === 'rejected');
  assert.equal(refused.length, 2);
  for (const { reason } of refused) assert.ok(isUniqueViolation(reason));
  const { runs } = await bench.engine.listRuns('test', 'task', { page: 0, size: 10 });
  assert.equal(runs.length, 1);
  assert.ok(await bench.engine.isDatasetBusy(bench.db.read, 'source'));
  await bench.gate.open();
  await bench.ended(runs[0]?.id ?? '');
  assert.ok(!(await bench.engine.isDatasetBusy(bench.db.read, 'source')));
});

/** The rows after the gate step. */
const raised = (rows: string): string => rows.replaceAll('row', 'ROW').replaceAll('gate', 'GATE');

/** Waits until some shards of a run have their checkpoint. */
async function someShardsDone(bench: EngineBench, runId: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      void bench.engine.findRun(bench.db.read, 'test', 'task', runId).then((seen) => {
        if (seen === undefined || seen.counts.in < 20) return;
        forget();
        resolve();
      });
    };
    const forget = bench.engine.onChange(runId, look);
    look();
  });
}

forAnyDatabase(
  'stop, then resume: finished shards are not worked on again, no row twice, none lost',
  async (t, openDb) => {
    const bench = await open(t, await openDb(), { shardBytes: 200 });
    const rows = gatedRows(150);
    const source = [await bench.put('r.jsonl', rows)];
    const recipe = { steps: [bench.gate.step] };
    const first = await bench.execute(source, recipe, { taskId: 'task' });
    await someShardsDone(bench, first.id);
    assert.ok(await bench.engine.stopRun(first.id));
    assert.ok(!(await bench.engine.stopRun(first.id)), 'there is nothing left to stop');
    const stopped = await bench.ended(first.id);
    assert.equal(stopped.status, 'STOPPED');
    assert.ok(stopped.counts.in < 150 && stopped.progress < 100);
    assert.equal((await bench.result()).size, 0);

    await bench.gate.open();
    const second = await bench.execute(source, recipe, { taskId: 'task', resume: first.id });
    assert.equal(second.resumedFrom, first.id);
    assert.deepEqual(second.counts, stopped.counts);
    const finished = await bench.ended(second.id);
    assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
    assert.equal(finished.counts.in, 150);
    assert.deepEqual([...(await bench.result())], [['r.jsonl', raised(rows)]]);
    assert.equal((await ledgerOf(bench, first.id)).length, stopped.counts.in, 'the stopped run keeps its ledger');
  },
);

for (const [title, operatorId, word] of [
  ['that waits', 'gate-waiter', 'gate'],
  ['that never ends', 'word-hanger', 'hang'],
] as const) {
  forAnyDatabase(
    `stop takes effect within a sample ${title}: no shard is written any more, the worker is free`,
    async (t, openDb) => {
      const bench = await open(t, await openDb(), { shardBytes: 200, sampleTimeoutMs: 60_000 });
      const rows = Array.from({ length: 600 }, (_, row) => `{"text":"${row < 40 ? 'row' : word} ${row}"}\n`);
      const source = [await bench.put('r.jsonl', rows.join(''))];
      const steps = [operatorId === 'gate-waiter' ? bench.gate.step : step(operatorId)];
      const { id } = await bench.execute(source, { steps }, { taskId: 'task' });
      await someShardsDone(bench, id);
      assert.ok(await bench.engine.stopRun(id));
      const atAnswer = await bench.engine.findRun(bench.db.read, 'test', 'task', id);
      assert.equal(atAnswer?.status, 'STOPPED');
      assert.ok(atAnswer.counts.in < 600);
      const shards = await listShards(bench.db.read, id, -1, 1000);

      // The only worker is free for other runs, though no sample of the stopped run has ended.
      const other = await runToEnd(bench, [await bench.put('a.txt', 'text')], { steps: [step('word-thrower')] });
      assert.equal(other.status, 'COMPLETED', other.error ?? '');
      await bench.close();
      assert.deepEqual(await listShards(bench.db.read, id, -1, 1000), shards);
      const stopped = await bench.engine.findRun(bench.db.read, 'test', 'task', id);
      assert.deepEqual(stopped, atAnswer);
    },
  );
}

forAnyDatabase('a run that does not reconcile fails loudly and writes nothing', async (t, openDb) => {
  const bench = await open(t, await openDb(), { shardBytes: 200 });
  const source = [await bench.put('r.jsonl', gatedRows(150))];
  const recipe = { steps: [bench.gate.step] };
  const first = await bench.execute(source, recipe, { taskId: 'task' });
  await someShardsDone(bench, first.id);
  await bench.engine.stopRun(first.id);
  await bench.db.write((tx) =>
    tx.updateTable('shards').set({ count_in: 1 }).where('run_id', '=', first.id).where('status', '=', 'DONE').execute(),
  );
  await bench.gate.open();
  const second = await bench.execute(source, recipe, { taskId: 'task', resume: first.id });
  const finished = await bench.ended(second.id);
  assert.equal(finished.status, 'FAILED');
  assert.match(finished.error ?? '', /does not reconcile.*the shards add up to the run/);
  assert.equal((await bench.result()).size, 0);
});

forEachDatabase('a deleted task gives its space back', async (t, openDb) => {
  const bench = await open(t, await openDb(), { shardBytes: 200 });
  const source = [await bench.put('r.jsonl', gatedRows(150))];
  const first = await bench.execute(source, { steps: [bench.gate.step] }, { taskId: 'task' });
  await someShardsDone(bench, first.id);
  await bench.engine.stopRun(first.id);
  await bench.db.write((tx) => bench.engine.deleteRuns(tx, 'task'));
  const used = await bench.db.read.selectFrom('blobs').select('id').where('refs', '>', 0).execute();
  assert.deepEqual(
    used.map(({ id }) => id),
    source.map(({ blobId }) => blobId),
  );
});

forAnyDatabase(
  'an engine that is stopped leaves its run at a checkpoint, and the next one goes on',
  async (t, openDb) => {
    const db = await openDb();
    const directory = await mkdtemp(join(tmpdir(), 'tilth-engine-'));
    t.after(() => rm(directory, { recursive: true }));
    const before = await openEngine(db, directory, { shardBytes: 200 });
    const gate = gateIn(directory);
    const rows = gatedRows(150);
    const source = [await before.put('r.jsonl', rows)];
    const started = await before.execute(source, { steps: [gate.step] }, { taskId: 'task' });
    await someShardsDone(before, started.id);
    await before.close();
    await gate.open();

    const after = await openEngine(db, directory, { shardBytes: 200 });
    t.after(() => after.close());
    await after.engine.start();
    const finished = await after.ended(started.id);
    assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
    assert.equal(finished.counts.in, 150);
    assert.deepEqual([...(await after.result())], [['r.jsonl', raised(rows)]]);
  },
);
