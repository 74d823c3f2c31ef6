import assert from 'node:assert/strict';
import { createDataSetting, newFile } from '../../../../tests/support/data-management.ts';
import { forAnyDatabase, forEachDatabase } from '../../../../tests/support/databases.ts';
import type { Database } from '../../../storage/database/database.ts';
import { createDatasetSweep } from './dataset-sweep.ts';

const tables = [
  'datasets',
  'files',
  'directories',
  'folders',
  'file_buckets',
  'dataset_counts',
  'versions',
  'dataset_tags',
] as const;

function refuse(error: unknown): never {
  throw error;
}

async function countRows(db: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) counts[table] = (await db.read.selectFrom(table).selectAll().execute()).length;
  return counts;
}

forEachDatabase('a deleted dataset goes with all its rows, and each of them lets go of its blob', async (_t, open) => {
  const db = await open();
  const { add, newDataset, datasets, files, tags } = createDataSetting(db);
  const kept = await newDataset('kept');
  await datasets.update(kept, { tags: ['soil'] }, 'ann');
  await add(kept, ['a/b.txt']);
  const before = await countRows(db);

  const gone = await newDataset('gone');
  await datasets.update(gone, { tags: ['soil', 'dew'] }, 'ann');
  const many = Array.from({ length: 2_500 }, (_, index) => newFile(`f/${index}`, { blobId: `blob-${index}` }));
  await add(gone, many);
  await add(gone, [newFile('f/0', { blobId: 'newer' })]);
  await files.createDirectory(gone, { directoryName: 'd' }, 'ann');
  await datasets.remove(gone, 'ann');
  assert.deepEqual(
    (await tags.list(undefined)).map(({ name, usageCount }) => [name, usageCount]),
    [
      ['dew', 0],
      ['soil', 1],
    ],
  );

  const released: string[] = [];
  let interrupted = false;
  const first = createDatasetSweep({
    db,
    blobs: {
      async release(_tx, ids) {
        released.push(...ids);
        interrupted = true;
        void first.stop();
      },
    },
    onError: refuse,
  });
  first.start();
  await first.idle();
  assert.ok(interrupted && released.length < 2_501, 'it stops between two transactions');
  const second = createDatasetSweep({
    db,
    blobs: { release: async (_tx, ids) => void released.push(...ids) },
    onError: refuse,
  });
  second.start();
  await second.idle();
  assert.deepEqual(await countRows(db), before);
  assert.deepEqual(
    released.toSorted(),
    [...many.map((file) => file.blobId ?? ''), 'newer'].toSorted(),
    'each row lets go once',
  );
  await second.stop();
});

forAnyDatabase('a sweep that fails is told and tried again', async (_t, open) => {
  const db = await open();
  const { add, newDataset, datasets } = createDataSetting(db);
  const id = await newDataset();
  await add(id, [newFile('a', { blobId: 'one' })]);
  await datasets.remove(id, 'ann');
  const failures: unknown[] = [];
  const released: string[] = [];
  const sweep = createDatasetSweep({
    db,
    blobs: {
      async release(_tx, ids) {
        if (failures.length === 0) throw new Error('disk');
        released.push(...ids);
      },
    },
    onError: (error) => failures.push(error),
  });
  sweep.start();
  await sweep.idle();
  assert.equal(failures.length, 1);
  assert.equal((await countRows(db)).files, 1, 'the failed transaction has left everything');
  sweep.wake();
  await sweep.idle();
  assert.deepEqual(released, ['one']);
  assert.equal((await countRows(db)).datasets, 0);
  await sweep.stop();
});
