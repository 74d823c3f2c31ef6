// What a run has made so far, and keeps with itself until it ends, is known to be in use.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachDatabase } from '../../../tests/support/databases.ts';
import { openBench, step } from '../../../tests/support/engine.ts';
import { until } from '../../../tests/support/until.ts';
import { listUnheld } from '../../storage/blobs/index.ts';
import { findBlobsInNotes } from './queries/blob-runs.ts';
import { listShards } from './queries/shards.ts';
import { blobIdsOf } from './shards/shard-outcome.ts';

forEachDatabase('results of a run under way are held by its shards', async (t, openDb) => {
  const db = await openDb();
  const bench = await openBench(t, db, { shardFiles: 1 });
  const gate = join(bench.directory, 'gate');
  const files = [await bench.put('a.jsonl', '{"text":"a row"}\n'), await bench.put('b.jsonl', '{"text":"gate"}\n')];
  const { id } = await bench.execute(files, { steps: [step('gate-waiter', { file: gate })] });
  const made = async (): Promise<string[]> =>
    (await listShards(db.read, id, -1, 10)).flatMap(({ outputs }) => blobIdsOf(outputs));
  await until(async () => (await made()).length > 0);
  const [result = ''] = await made();
  assert.deepEqual(await findBlobsInNotes(db.scan, [result, 'another']), [result]);

  // The files of this bench are in no dataset.
  const own = new Set(files.flatMap(({ blobId }) => blobId ?? []));
  const unheld = async (findOthers: (ids: readonly string[]) => Promise<Iterable<string>>): Promise<string[]> => {
    const found: string[] = [];
    for await (const one of listUnheld({ db, findOthers })) if (!own.has(one.id)) found.push(one.id);
    return found;
  };
  assert.deepEqual(await unheld((ids) => findBlobsInNotes(db.scan, ids)), []);
  assert.deepEqual(await unheld(async () => []), [result]);
  await writeFile(gate, '');
  assert.equal((await bench.ended(id)).status, 'COMPLETED');
});
