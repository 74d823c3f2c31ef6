import assert from 'node:assert/strict';
import { newFile } from '../../../../tests/support/data-management.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { createDatasets } from '../datasets/datasets.ts';
import { anyValue } from '../queries/buckets.ts';
import { recountCounters } from '../verification/counter-recount.ts';
import { createFileCommits } from './file-commits.ts';

forAnyDatabase(
  'after names that ascend, files all over the list fit into its buckets, until they are cut together',
  async (_t, open) => {
    const db = await open();
    const blobs = { release: async () => {}, retain: async () => {} };
    const commits = createFileCommits({ clock: systemClock, blobs, buckets: { files: 16, buckets: 4 } });
    const datasets = createDatasets({ db, clock: systemClock, isBusy: async () => false, onRemoved: () => {} });
    const { id } = await datasets.create({ name: 'd', type: 'TEXT' }, 'ann');
    const name = (index: number, suffix: string): string => `f${String(index).padStart(3, '0')}${suffix}`;
    const add = (paths: readonly string[]) =>
      db.write((tx) =>
        commits.add(tx, { datasetId: id, by: 'ann', onConflict: 'ERROR', files: paths.map((path) => newFile(path)) }),
      );
    const countBuckets = async (): Promise<number> => {
      const whole = db.read.selectFrom('file_buckets').select('start_path').where('dataset_id', '=', id);
      const rows = await whole
        .where('level', '=', 0)
        .where('file_type', '=', anyValue)
        .where('status', '=', anyValue)
        .execute();
      return rows.length;
    };
    const count = 72;
    const all = Array.from({ length: count }, (_, index) => index);
    await add(all.map((index) => name(index, '.txt')));
    const buckets = await countBuckets();
    assert.equal(buckets, count / 12, 'three quarters full');
    const some = all.filter((index) => index % 12 === 2);
    await add(some.flatMap((index) => [name(index, 'a.csv'), name(index, 'b.txt')]));
    assert.equal(await countBuckets(), buckets, 'two more in each');
    await add(some.flatMap((index) => ['c', 'd', 'e'].map((letter) => name(index, `${letter}.md`))));
    assert.ok((await countBuckets()) >= 2 * buckets, 'all were full');
    await add(Array.from({ length: 2_000 }, (_, index) => `g${String(index).padStart(4, '0')}.txt`));
    assert.ok((await countBuckets()) < 100, 'buckets of 16 files would be 170: they grow with the dataset');
    assert.deepEqual(await recountCounters(db.scan, id, 10), []);
  },
);
