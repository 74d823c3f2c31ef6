// Versions of a dataset with many files against one with 10,000: a version with 1,000 changes, the comparison of two versions, and a page of
// files at an older one. `TILTH_BENCH_FILES` sets the number of files (200,000; ten million for the whole claim).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatasets } from '../server/areas/data-management/datasets/datasets.ts';
import { createFiles } from '../server/areas/data-management/files/files.ts';
import { createVersionDiffs } from '../server/areas/data-management/versions/version-diffs.ts';
import { systemClock } from '../server/kernel/clock.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { createBenchCommits, fileSlices, insertBlobs, newFiles } from './many-files.ts';
import { printMachine } from './machine.ts';
import { comparePairs } from './pairs.ts';

const total = Number(process.env['TILTH_BENCH_FILES'] ?? 200_000);
const few = 10_000;
const changes = 1_000;

printMachine();
const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
const url = process.env['TILTH_BENCH_DATABASE_URL'];
const db = await openDatabase(url === undefined ? { file: join(directory, 'tilth.db') } : { url });
try {
  const commits = createBenchCommits();
  const datasets = createDatasets({ db, clock: systemClock, busyChecks: [], onRemoved: () => {} });
  const files = createFiles({ db, commits });
  const diffs = createVersionDiffs({ db });
  await insertBlobs(db);
  const options = { by: 'bench', onConflict: 'REPLACE' } as const;

  type Sized = { id: string; count: number; from: number };
  const make = async (count: number): Promise<Sized> => {
    const { id } = await datasets.create({ name: 'bench', type: 'TEXT' }, 'bench');
    const { version } = await db.write((tx) =>
      commits.addAll(tx, { ...options, datasetId: id, slices: fileSlices(count) }),
    );
    return { id, count, from: version };
  };
  let round = 0;
  /** Replaces files all over the dataset, by other content. */
  const change = async ({ id, count }: Sized): Promise<number> => {
    const step = Math.floor(count / changes);
    round += 1;
    const replaced = Array.from({ length: changes }, (_, index) => [...newFiles(index * step, index * step + 1)])
      .flat()
      .map((file, index) => ({ ...file, sizeBytes: 1 + round, blobId: `blob-${(index * 7 + round) % 1_000}` }));
    const { version } = await db.write((tx) => commits.add(tx, { ...options, datasetId: id, files: replaced }));
    return version;
  };
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };

  const [large, small] = [await make(total), await make(few)];
  const compare = (title: string, work: (dataset: Sized) => Promise<unknown>): Promise<number> =>
    comparePairs(
      `${title} (at most 3; less is better)`,
      { name: `${total.toLocaleString('en')} files`, unit: 'ms', run: () => timed(() => work(large)) },
      { name: `${few.toLocaleString('en')} files`, unit: 'ms', run: () => timed(() => work(small)) },
    );
  await compare(`a version with ${changes.toLocaleString('en')} changes`, change);
  const latest = new Map<Sized, number>();
  for (const dataset of [large, small]) latest.set(dataset, await change(dataset));
  await compare(`the diff of ${changes.toLocaleString('en')} changes`, (dataset) => {
    const to = latest.get(dataset) ?? 0;
    return diffs.compare(dataset.id, { from: to - 1, to, page: 0, size: 100 });
  });
  await compare('a page of the current version', (dataset) =>
    files.list(dataset.id, { page: Math.floor(dataset.count / 40), size: 20, directories: false }),
  );
  await compare('the first page of the first version', (dataset) =>
    files.list(dataset.id, { version: dataset.from, page: 0, size: 20, directories: false }),
  );
} finally {
  await db.close();
  await rm(directory, { recursive: true });
}
