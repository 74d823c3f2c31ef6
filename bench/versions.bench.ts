// Versions of a dataset with many files against one with 10,000: a version with 1,000 changes, the comparison of two versions, and a page
// of files, also of an older version. `TILTH_BENCH_FILES` sets the number of files (1,000,000; ten million for the whole claim, which takes
// 8 GB and half an hour to create). `TILTH_BENCH_DATABASE_FILE` names a database to keep, so that only the first run creates it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatasets } from '../server/areas/data-management/datasets/datasets.ts';
import { createFiles } from '../server/areas/data-management/files/files.ts';
import { createVersionDiffs } from '../server/areas/data-management/versions/version-diffs.ts';
import { systemClock } from '../server/kernel/clock.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import type { NewFile } from '../server/areas/data-management/files/file-commits.ts';
import { recountCounters } from '../server/areas/data-management/verification/counter-recount.ts';
import { insertFileRows } from './file-rows.ts';
import { createBenchCommits, insertBlobs, newFiles } from './many-files.ts';
import { printMachine } from './machine.ts';
import { comparePairs } from './pairs.ts';

const total = Number(process.env['TILTH_BENCH_FILES'] ?? 1_000_000);
const few = 10_000;
const changes = 1_000;

printMachine();
const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
const url = process.env['TILTH_BENCH_DATABASE_URL'];
const file = process.env['TILTH_BENCH_DATABASE_FILE'] ?? join(directory, 'tilth.db');
const db = await openDatabase(url === undefined ? { file } : { url });
try {
  const commits = createBenchCommits();
  const datasets = createDatasets({ db, clock: systemClock, isBusy: async () => false, onRemoved: () => {} });
  const files = createFiles({ db, commits });
  const diffs = createVersionDiffs({ db });
  const options = { by: 'bench', onConflict: 'REPLACE' } as const;

  type Sized = { id: string; count: number; from: number };
  /** Creates the dataset with the rows that one commit would leave, unless the database already has it. */
  const make = async (count: number): Promise<Sized> => {
    const from = 2;
    const name = `${count} files`;
    const [known] = (await datasets.list({ page: 0, size: 1, keyword: name })).content;
    if (known !== undefined) return { id: known.id, count, from };
    const start = performance.now();
    const { id } = await datasets.create({ name, type: 'TEXT' }, 'bench');
    await insertFileRows(db, id, count);
    const made = performance.now();
    const wrong = await recountCounters(db.scan, id, 3);
    if (wrong.length > 0) throw new Error(`The counters are wrong: ${JSON.stringify(wrong)}`);
    const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(0)} s`;
    console.log(
      `${name} made in ${seconds(start, made)}, all counters right after ${seconds(made, performance.now())}`,
    );
    return { id, count, from };
  };
  let round = Date.now() % 1_000;
  /** Files spread over the dataset, different in each round. */
  const some = (count: number): NewFile[] => {
    const step = Math.floor(count / changes);
    round += 1;
    return Array.from({ length: changes }, (_, index) => index * step + ((round * 37) % step))
      .flatMap((number) => [...newFiles(number, number + 1)])
      .map((one, index) => ({ ...one, sizeBytes: 1 + round, blobId: `blob-${(index * 7 + round) % 1_000}` }));
  };
  /** Neighbouring files, elsewhere in each round, like an uploaded folder. */
  const near = (count: number): NewFile[] => {
    round += 1;
    const start = (round * 7_919) % (count - changes);
    return [...newFiles(start, start + changes)].map((one) => ({ ...one, sizeBytes: 1 + round }));
  };
  const commit = async ({ id }: Sized, changed: readonly NewFile[]): Promise<number> => {
    const { version } = await db.write((tx) => commits.add(tx, { ...options, datasetId: id, files: changed }));
    return version;
  };
  const replace = (dataset: Sized): Promise<number> => commit(dataset, some(dataset.count));
  const add = (dataset: Sized): Promise<number> =>
    commit(
      dataset,
      some(dataset.count).map((one) => ({ ...one, path: one.path.replace('.', `-${round}.`) })),
    );
  const replaceNear = (dataset: Sized): Promise<number> => commit(dataset, near(dataset.count));
  const addNear = (dataset: Sized): Promise<number> =>
    commit(
      dataset,
      near(dataset.count).map((one) => ({ ...one, path: one.path.replace('.', `-${round}.`) })),
    );
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };

  await insertBlobs(db);
  const [small, large] = [await make(few), await make(total)];
  const compare = (title: string, work: (dataset: Sized) => Promise<unknown>): Promise<number> =>
    comparePairs(
      `${title} (at most 3; less is better)`,
      { name: `${total.toLocaleString('en')} files`, unit: 'ms', run: () => timed(() => work(large)) },
      { name: `${few.toLocaleString('en')} files`, unit: 'ms', run: () => timed(() => work(small)) },
    );
  await compare(`a version that replaces ${changes.toLocaleString('en')} files that stand together`, replaceNear);
  await compare(`a version that adds ${changes.toLocaleString('en')} files that stand together`, addNear);
  await compare(`a version that replaces ${changes.toLocaleString('en')} files all over`, replace);
  await compare(`a version that adds ${changes.toLocaleString('en')} files all over`, add);
  const latest = new Map<Sized, number>();
  for (const dataset of [large, small]) latest.set(dataset, await replace(dataset));
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
