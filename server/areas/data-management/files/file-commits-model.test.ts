import assert from 'node:assert/strict';
import fc from 'fast-check';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import {
  steps,
  type ModelFile,
  type State,
  Model,
  foldersOf,
  byBytes,
  insertUploadOf,
  applyStep,
} from '../../../../tests/support/file-histories.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { fileTypeOf, parentOf } from '../../../kernel/file-path.ts';
import type { Database } from '../../../storage/database/database.ts';
import { createDatasets } from '../datasets/datasets.ts';
import { createFileCommits, type FileStatus } from './file-commits.ts';
import { createFiles, type Files } from './files.ts';
import type { FilesQuery } from '../schemas/files.ts';

forAnyDatabase('any history of commits gives the pages, counters and folders of its model', async (_t, open) => {
  const db = await open();
  const commits = createFileCommits({
    clock: systemClock,
    blobs: { release: async () => {}, retain: async () => {} },
    // So small that a dozen files are split into buckets and groups.
    buckets: { files: 4, buckets: 2 },
  });
  const datasets = createDatasets({ db, clock: systemClock, isBusy: async () => false, onRemoved: () => {} });
  const files = createFiles({ db, commits });
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const { id } = await datasets.create({ name: 'm', type: 'TEXT' }, 'ann');
      const model = new Model();
      for (const upload of ['one', 'two']) await insertUploadOf(db, id, upload);
      for (const step of history) await applyStep(db, commits, id, model, step);
      await checkPages(files, id, model);
      await checkCounters(db, datasets, id, model.now);
      await checkVersions(db, id, model);
    }),
    {
      numRuns: db.dialect === 'sqlite' ? sized(15, 40) : sized(6, 15),
      plugins: [fc.interruptAfterTimeLimit(60_000, { failOnInterrupt: false })],
    },
  );
});

const everything: FilesQuery = { page: 0, size: 1000, directories: false };

async function checkPages(files: Files, id: string, model: Model): Promise<void> {
  const sorted = [...model.now.files.values()].toSorted(byBytes);
  const filters: { fileType?: string; status?: FileStatus }[] = [
    {},
    { fileType: 'txt' },
    { fileType: '' },
    { status: 'COMPLETED' },
    { status: 'ERROR' },
    { fileType: 'json', status: 'PROCESSING' },
  ];
  for (const filter of filters) {
    const wanted = sorted.filter(
      ({ path, status }) =>
        (filter.fileType === undefined || fileTypeOf(path) === filter.fileType) &&
        (filter.status === undefined || status === filter.status),
    );
    for (const sort of ['filePath,asc', 'filePath,desc']) {
      const found: string[] = [];
      for (let page = 0; ; page++) {
        const result = await files.list(id, { ...everything, ...filter, sort, page, size: 3 });
        assert.equal(result.totalElements, wanted.length);
        found.push(...result.content.map((file) => file.filePath));
        if (result.last) break;
      }
      const expected = wanted.map((file) => file.path);
      assert.deepEqual(found, sort === 'filePath,asc' ? expected : expected.toReversed());
    }
  }
  for (const [index, state] of model.versions.entries()) {
    const page = await files.list(id, { ...everything, version: index + 1 });
    assert.deepEqual(
      page.content.map(({ id, filePath, fileSize, status }) => [id, filePath, fileSize, status]),
      [...state.files.values()].toSorted(byBytes).map((file) => [file.id, file.path, file.size, file.status]),
    );
    await checkLevels(files, id, state, index + 1);
  }
}

async function checkLevels(files: Files, id: string, state: State, version: number): Promise<void> {
  const folders = foldersOf(state);
  for (const parent of ['', ...folders.keys()]) {
    const page = await files.list(id, { ...everything, directories: true, prefix: parent, version });
    const inside = [...folders].filter(([path]) => parentOf(path) === parent);
    assert.deepEqual(
      page.directories?.map(({ path, fileCount, totalSize }) => ({ path, fileCount, totalSize })),
      inside.map(([path, { count, size }]) => ({ path, fileCount: count, totalSize: size })).toSorted(byBytes),
    );
    const expected = [...state.files.values()].filter(({ path }) => parentOf(path) === parent).toSorted(byBytes);
    assert.deepEqual(
      page.content.map((file) => file.filePath),
      expected.map((file) => file.path),
    );
    assert.equal(page.totalElements, inside.length + expected.length);
  }
}

async function checkCounters(
  db: Database,
  datasets: ReturnType<typeof createDatasets>,
  id: string,
  state: State,
): Promise<void> {
  const list = [...state.files.values()];
  const statistics = await datasets.statistics(id);
  const countBy = (key: (file: ModelFile) => string): Record<string, number> =>
    Object.fromEntries([...Map.groupBy(list, key)].map(([name, group]) => [name, group.length]));
  assert.equal(statistics.totalFiles, list.length);
  assert.equal(statistics.completedFiles, list.filter((file) => file.status === 'COMPLETED').length);
  assert.equal(
    statistics.totalSize,
    list.reduce((sum, file) => sum + file.size, 0),
  );
  assert.deepEqual(
    statistics.fileTypeDistribution,
    countBy((file) => fileTypeOf(file.path)),
  );
  assert.deepEqual(statistics.statusDistribution, {
    COMPLETED: 0,
    PROCESSING: 0,
    ERROR: 0,
    ...countBy((file) => file.status),
  });
  const rows = await db.read
    .selectFrom('folders')
    .select(['path', 'file_count', 'total_size_bytes'])
    .where('dataset_id', '=', id)
    .orderBy('path')
    .execute();
  assert.deepEqual(
    rows,
    [...foldersOf(state)]
      .map(([path, { count, size }]) => ({ path, file_count: count, total_size_bytes: size }))
      .toSorted(byBytes),
  );
}

async function checkVersions(db: Database, id: string, model: Model): Promise<void> {
  const rows = await db.read
    .selectFrom('versions')
    .select(['version', 'file_count', 'total_size_bytes'])
    .where('dataset_id', '=', id)
    .orderBy('version')
    .execute();
  assert.deepEqual(
    rows,
    model.versions.map(({ files }, index) => ({
      version: index + 1,
      file_count: files.size,
      total_size_bytes: [...files.values()].reduce((sum, file) => sum + file.size, 0),
    })),
  );
}
