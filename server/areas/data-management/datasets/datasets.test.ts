import assert from 'node:assert/strict';
import { createDataSetting, newFile } from '../../../../tests/support/data-management.ts';
import { forAnyDatabase, forEachDatabase } from '../../../../tests/support/databases.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { DatasetsQuery } from '../schemas/datasets.ts';

forEachDatabase('lists: filters, literal keywords, sorts, pages beyond any number', async (_t, open) => {
  const { datasets, add } = createDataSetting(await open());
  const create = async (name: string, description = '', tags: string[] = []): Promise<string> =>
    (await datasets.create({ name, description, type: 'TEXT', tags }, 'ann')).id;
  const ids = [
    await create('Zebra 100%', '', ['A', 'b']),
    await create('äpfel', 'with_underscore', ['a']),
    await create('zebra'),
  ];
  await add(ids[1] ?? '', ['x', 'y']);
  const list = async (query: Partial<DatasetsQuery>): Promise<string[]> => {
    const page = await datasets.list({ page: 0, size: 20, ...query });
    return page.content.map((dataset) => dataset.name);
  };
  assert.deepEqual(await list({}), ['zebra', 'äpfel', 'Zebra 100%']);
  assert.deepEqual(await list({ sort: 'createdAt,asc' }), ['Zebra 100%', 'äpfel', 'zebra']);
  assert.deepEqual(await list({ sort: 'name,asc' }), ['zebra', 'Zebra 100%', 'äpfel']);
  assert.deepEqual(await list({ sort: 'fileCount,desc', size: 1 }), ['äpfel']);
  assert.deepEqual(await list({ keyword: 'ÄPF' }), ['äpfel']);
  assert.deepEqual(await list({ keyword: '0%' }), ['Zebra 100%']);
  assert.deepEqual(await list({ keyword: 'h_u' }), ['äpfel']);
  assert.deepEqual(await list({ keyword: 'a_b' }), []);
  assert.deepEqual(await list({ keyword: 'lwith' }), [], 'no match reaches from the name into the description');
  assert.deepEqual(await list({ tags: 'B, a,,A' }), ['Zebra 100%']);
  assert.deepEqual(await list({ tags: 'a,unknown' }), []);
  assert.deepEqual(await list({ type: 'IMAGE' }), []);
  const far = await datasets.list({ page: Number.MAX_SAFE_INTEGER, size: 1000 });
  assert.deepEqual([far.content, far.totalElements, far.last], [[], 3, true]);
});

forAnyDatabase('a busy dataset stays', async (_t, open) => {
  const { datasets, newDataset, busy } = createDataSetting(await open());
  const id = await newDataset();
  busy.add(id);
  await assert.rejects(datasets.remove(id, 'ann'), { code: 'DATASET_BUSY' });
  assert.equal((await datasets.get(id)).name, 'd');
  busy.delete(id);
  await datasets.remove(id, 'ann');
  await assert.rejects(datasets.get(id), { code: 'DATASET_NOT_FOUND' });
});

forEachDatabase('updates and deletes at the same time end in an answer of the catalogue', async (_t, open) => {
  const { datasets, newDataset, tags } = createDataSetting(await open());
  const id = await newDataset();
  const names = Array.from({ length: 12 }, (_, index) => `tag ${index}`);
  const calls = Array.from({ length: 12 }, (_, index) => {
    // Each call has another order: writers that locked rows in call order would deadlock.
    const tags = [...names.slice(index), ...names.slice(0, index)];
    return datasets.update(id, { name: `n${index}`, tags }, 'ann');
  });
  const removals = [datasets.remove(id, 'ann'), datasets.remove(id, 'bob'), tags.list(undefined)];
  const outcomes = await Promise.allSettled<unknown>([...calls, ...removals]);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') {
      assert.ok(outcome.reason instanceof AppError, String(outcome.reason));
      assert.equal(outcome.reason.code, 'DATASET_NOT_FOUND');
    }
  assert.equal(outcomes.slice(12, 14).filter((outcome) => outcome.status === 'fulfilled').length, 1);
  assert.ok((await tags.list(undefined)).every((tag) => tag.usageCount === 0));
});

forAnyDatabase('statistics name every type, whatever it is called', async (_t, open) => {
  const { datasets, newDataset, add } = createDataSetting(await open());
  const id = await newDataset();
  await add(id, ['a.__proto__', 'b.constructor', newFile('c', { status: 'PROCESSING', sizeBytes: 0 })]);
  const statistics = await datasets.statistics(id);
  assert.deepEqual(
    new Map(Object.entries(statistics.fileTypeDistribution)),
    new Map([
      ['', 1],
      ['__proto__', 1],
      ['constructor', 1],
    ]),
  );
  assert.deepEqual(statistics.statusDistribution, { COMPLETED: 2, PROCESSING: 1, ERROR: 0 });
  assert.equal(statistics.completionRate, 66.67);
});

forAnyDatabase('a rate of 100 means all of them', async (_t, open) => {
  const { datasets, newDataset, db } = createDataSetting(await open());
  const id = await newDataset();
  const rateOf = async (completed_count: number): Promise<number> => {
    const values = { file_count: 1_000_000, completed_count };
    await db.write((tx) => tx.updateTable('datasets').set(values).where('id', '=', id).execute());
    return (await datasets.get(id)).completionRate;
  };
  assert.equal(await rateOf(0), 0);
  assert.equal(await rateOf(333_333), 33.33);
  assert.equal(await rateOf(999_999), 99.99);
  assert.equal(await rateOf(1_000_000), 100);
});

forAnyDatabase('statistics of an old version count its files', async (_t, open) => {
  const { datasets, newDataset, add } = createDataSetting(await open());
  const id = await newDataset();
  await add(id, ['a.txt', newFile('b.csv', { status: 'ERROR', sizeBytes: 9 })]);
  await add(id, [newFile('a.txt', { sizeBytes: 100 }), 'c.txt']);
  assert.deepEqual(await datasets.statistics(id, 2), {
    totalFiles: 2,
    completedFiles: 1,
    totalSize: 14,
    completionRate: 50,
    fileTypeDistribution: { csv: 1, txt: 1 },
    statusDistribution: { COMPLETED: 1, PROCESSING: 0, ERROR: 1 },
  });
  assert.deepEqual(await datasets.statistics(id, 3), await datasets.statistics(id));
  const withErrors = async (): Promise<[string, number][]> => {
    const found = await datasets.list({ page: 0, size: 10, hasErrors: true });
    return found.content.map((dataset) => [dataset.id, dataset.errorCount]);
  };
  assert.deepEqual(await withErrors(), [[id, 1]]);
  const other = await newDataset('other');
  assert.equal((await datasets.get(other)).errorCount, 0);
  assert.deepEqual(await withErrors(), [[id, 1]]);
  await add(id, [newFile('d.txt', { status: 'ERROR', sizeBytes: 1 })]);
  assert.equal((await datasets.get(id)).errorCount, 2);
  await add(id, [newFile('b.csv', { sizeBytes: 9 }), newFile('d.txt', { sizeBytes: 9 })]);
  assert.deepEqual(await withErrors(), []);
  assert.equal((await datasets.statistics(id, 1)).totalFiles, 0);
  await assert.rejects(datasets.statistics(id, 9), { code: 'VERSION_NOT_FOUND' });
});
