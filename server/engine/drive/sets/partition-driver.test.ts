import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openEngine, step } from '../../../../tests/support/engine.ts';

forAnyDatabase('stopped between partitions, a run compares no partition again', async (t, openDb) => {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-sets-'));
  const db = await openDb();
  const comparison = { wholeBytes: 0, partitionSamples: 3, fanIn: 20 };
  const bench = await openEngine(db, directory, { shardBytes: 2000, comparison });
  t.after(async () => {
    await bench.close();
    await rm(directory, { recursive: true });
  });
  const rows = Array.from({ length: 120 }, (_, row) => `{"text":"row ${row % 50}"}\n`).join('');
  const source = [await bench.put('r.jsonl', rows)];
  const recipe = { steps: [step('exact-deduplicator')] };
  const undisturbed = await bench.ended((await bench.execute(source, recipe)).id);
  const expected = [...(await bench.result())];
  /** Calls `look` with the finished parts of the comparison, after each change, until it returns true. */
  const watchParts = (runId: string, look: (parts: ReadonlyMap<string, string>) => boolean): (() => void) => {
    const forget = bench.engine.onChange(runId, () => {
      void partsOf(runId).then((parts) => {
        if (look(parts)) forget();
      });
    });
    return forget;
  };
  const partsOf = async (runId: string): Promise<Map<string, string>> => {
    const rows = await db.read.selectFrom('set_parts').selectAll().where('run_id', '=', runId).execute();
    return new Map(rows.map(({ stage, part_no, blob_id }) => [`${stage} ${part_no}`, blob_id]));
  };

  const first = await bench.execute(source, recipe, { taskId: 'task' });
  await new Promise<void>((resolve) => {
    watchParts(first.id, (parts) => {
      if (!parts.has('MATCH 3')) return false;
      resolve();
      return true;
    });
  });
  await bench.engine.stopRun(first.id);
  await bench.ended(first.id);
  const before = await partsOf(first.id);
  assert.ok(before.has('MATCH 3') && !before.has('MATCH 39'), [...before.keys()].join(', '));

  const second = await bench.execute(source, recipe, { taskId: 'task', resume: first.id });
  const seen = new Map<string, string>();
  const forget = watchParts(second.id, (parts) => {
    for (const [part, blobId] of parts) seen.set(part, blobId);
    return false;
  });
  const run = await bench.ended(second.id);
  forget();
  assert.deepEqual([run.status, run.counts], ['COMPLETED', undisturbed.counts], run.error ?? '');
  assert.deepEqual([...(await bench.result())], expected);
  assert.ok(seen.size > before.size);
  for (const [part, blobId] of before) assert.equal(seen.get(part), blobId, part);
  assert.equal((await partsOf(second.id)).size, 0);
});
