import assert from 'node:assert/strict';
import { createDataSetting, newFile } from '../../../../tests/support/data-management.ts';
import { forEachDatabase } from '../../../../tests/support/databases.ts';
import { createRandom } from '../../../../tests/faults/random.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { createFileCommits } from './file-commits.ts';
import { findBucketsOf } from '../queries/buckets.ts';
import { listCurrentFilesAt } from '../queries/commits.ts';
import { listFoldersAt } from '../queries/folders.ts';
import { recountCounters } from '../verification/counter-recount.ts';

const inBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Paths side by side in a few folders, deep ones, and names that sort differently by bytes than by UTF-16. */
const pool = [
  ...Array.from({ length: 120 }, (_, index) => `flat/file-${index}.txt`),
  ...Array.from({ length: 60 }, (_, index) => `flat/file-${index}/deep-${index % 7}.txt/leaf.txt`),
  ...Array.from({ length: 40 }, (_, index) => `other/${String(index).padStart(3, '0')}.txt`),
  ...['\u{10000}', '\uff5e', '\ud7ff', 'z', '高'].flatMap((name) => [`odd/${name}.txt`, `odd/${name}/in.txt`]),
];

forEachDatabase('look-ups of many paths find what single ones find, and counters stay right', async (_t, open) => {
  const { db, newDataset } = createDataSetting(await open());
  const datasetId = await newDataset();
  const blobs = { release: async () => {}, retain: async () => {} };
  const commits = createFileCommits({ clock: systemClock, blobs, buckets: { files: 8, buckets: 4 } });
  const random = createRandom(7, 'path look-ups');
  const some = (count: number): string[] => {
    // Neighbours in the pool, as in an upload, and a few from anywhere.
    const start = random.integer(0, pool.length - 1);
    const near = Array.from({ length: count }, (_, index) => pool[(start + index) % pool.length] ?? '');
    return [...new Set([...near, random.pick(pool), random.pick(pool)])];
  };
  const stored = new Set<string>();

  async function compare(): Promise<void> {
    assert.deepEqual(await recountCounters(db.read, datasetId, 10), []);
    const rows = await db.read
      .selectFrom('file_buckets')
      .select(['level', 'start_path'])
      .where('file_type', '=', '/')
      .where('status', '=', '/')
      .execute();
    const startsOf = (level: number): string[] =>
      rows.flatMap((row) => (row.level === level ? [row.start_path] : [])).toSorted(inBytes);
    const [buckets, groups] = [startsOf(0), startsOf(1)];
    const last = (starts: readonly string[], path: string): string =>
      starts.findLast((start) => inBytes(start, path) <= 0) ?? '';
    const folders = new Set(
      [...stored].flatMap((path) => path.split('/').map((_, end, parts) => parts.slice(0, end).join('/'))),
    );
    for (const count of [1, 9, 30, 90]) {
      const paths = some(count);
      const files = await listCurrentFilesAt(db.read, datasetId, paths);
      const there = paths.filter((path) => stored.has(path));
      assert.deepEqual(files.map(({ path }) => path).toSorted(), there.toSorted());
      const names = [...paths, 'flat', 'odd', 'nowhere', ...paths.map((path) => path.replace(/\.txt$/, ''))];
      const found = await listFoldersAt(db.read, datasetId, [...new Set(names)]);
      assert.deepEqual(found.toSorted(), [...new Set(names)].filter((name) => folders.has(name)).toSorted());
      const places = await findBucketsOf(db.read, datasetId, paths);
      assert.deepEqual(
        new Map(places.map(({ path, bucket, group }) => [path, [bucket, group]])),
        new Map(paths.map((path) => [path, [last(buckets, path), last(groups, last(buckets, path))]])),
      );
    }
  }

  for (let round = 0; round < 24; round++) {
    const added = some(random.integer(1, 60));
    const result = await db.write((tx) =>
      commits.add(tx, { datasetId, by: 'bob', onConflict: 'REPLACE', files: added.map((path) => newFile(path)) }),
    );
    for (const outcome of result.outcomes) if (outcome.kind === 'added') stored.add(outcome.file.path);
    await compare();
  }
  assert.ok(stored.size > 150, `${stored.size}`);
});
