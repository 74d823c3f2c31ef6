import assert from 'node:assert/strict';
import { createDataSetting, newFile } from '../../../../tests/support/data-management.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { foreign } from '../../../kernel/sentences/index.ts';
import type { NewFile } from './file-commits.ts';

forAnyDatabase('files come as one version, with folders and counts', async (_t, open) => {
  const { db, commits, datasets, newDataset, versions } = createDataSetting(await open());
  const datasetId = await newDataset();
  const result = await db.write((tx) =>
    commits.add(tx, {
      datasetId,
      by: 'bob',
      onConflict: 'REPLACE',
      message: foreign('first'),
      files: [
        newFile('a/b/x.TXT', { sizeBytes: 5 }),
        newFile('a/y.json', { sizeBytes: 7, status: 'ERROR', error: foreign('torn\0\ud800') }),
        newFile('高.txt', { sizeBytes: 1, originalName: 'C:\\高.txt' }),
      ],
    }),
  );
  assert.equal(result.version, 2);
  const rows = result.outcomes.map((outcome) => (outcome.kind === 'added' ? outcome.file : undefined));
  assert.deepEqual(
    rows.map((row) => [row?.path, row?.file_type, row?.content_type, row?.error, row?.added_version]),
    [
      ['a/b/x.TXT', 'txt', 'text/plain', null, 2],
      ['a/y.json', 'json', 'application/json', 'torn��', 2],
      ['高.txt', 'txt', 'text/plain', null, 2],
    ],
  );
  const folders = await db.read
    .selectFrom('folders')
    .select(['path', 'parent', 'file_count', 'total_size_bytes', 'directory_count'])
    .orderBy('path')
    .execute();
  assert.deepEqual(folders, [
    { path: 'a', parent: '', file_count: 2, total_size_bytes: 12, directory_count: 0 },
    { path: 'a/b', parent: 'a', file_count: 1, total_size_bytes: 5, directory_count: 0 },
  ]);
  const { version, fileCount, totalSize, completionRate, updatedBy } = await datasets.get(datasetId);
  assert.deepEqual([version, fileCount, totalSize, completionRate, updatedBy], [2, 3, 13, 66.67, 'bob']);
  const [newest] = (await versions.list(datasetId, { page: 0, size: 1 })).content;
  assert.deepEqual(
    [newest?.version, newest?.message, newest?.filesAdded, newest?.filesEnded, newest?.fileCount, newest?.createdBy],
    [2, 'first', 3, 0, 3, 'bob'],
  );
});

forAnyDatabase('each conflict policy does what it says, within a commit and across commits', async (_t, open) => {
  const { add, newDataset, db, commits, released, paths } = createDataSetting(await open());
  const id = await newDataset();
  const places = async (...call: Parameters<typeof add>): Promise<string[]> =>
    (await add(...call)).map((outcome) => (typeof outcome === 'string' ? outcome : outcome.path));
  assert.deepEqual(await places(id, ['a.txt', 'd/x', 'a.txt'], 'RENAME'), ['a.txt', 'd/x', 'a (1).txt']);
  assert.deepEqual(await places(id, ['a.txt', 'a.txt', 'a (3).txt', 'a.txt'], 'RENAME'), [
    'a (2).txt',
    'a (3).txt',
    'a (3) (1).txt',
    'a (4).txt',
  ]);
  assert.deepEqual(await places(id, ['a.txt', 'n', 'n'], 'ERROR'), ['FILE_ALREADY_EXISTS', 'n', 'FILE_ALREADY_EXISTS']);
  for (const policy of ['REPLACE', 'RENAME', 'ERROR'] as const) {
    assert.deepEqual(await places(id, ['d', 'd/x/y'], policy), ['DIRECTORY_ALREADY_EXISTS', 'FILE_ALREADY_EXISTS']);
    assert.deepEqual(await places(id, [`q${policy}`, `q${policy}/z`], policy), [`q${policy}`, 'FILE_ALREADY_EXISTS']);
    assert.deepEqual(await places(id, [`r${policy}/z`, `r${policy}`], policy), [
      `r${policy}/z`,
      'DIRECTORY_ALREADY_EXISTS',
    ]);
  }
  const before = await db.read.selectFrom('files').select('file_id').where('path', '=', 'a.txt').executeTakeFirst();
  const { outcomes } = await db.write((tx) =>
    commits.add(tx, {
      datasetId: id,
      by: 'bob',
      onConflict: 'REPLACE',
      files: [newFile('a.txt', { blobId: 'one' }), newFile('a.txt', { blobId: 'two' })],
    }),
  );
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.kind === 'added' ? [outcome.file.file_id, outcome.file.blob_id] : [])),
    [
      [before?.file_id, 'one'],
      [before?.file_id, 'two'],
    ],
  );
  assert.deepEqual(released, ['one'], 'what was replaced within the commit is let go');
  assert.equal((await paths(id)).filter((path) => path === 'a.txt').length, 1);
});

forAnyDatabase('a free number is found among many, and a gap among the first is used', async (_t, open) => {
  const { add, newDataset } = createDataSetting(await open());
  const id = await newDataset();
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `a (${index + 1}).txt`);
  await add(id, ['a.txt', ...numbered(200).filter((name) => name !== 'a (5).txt')]);
  const renamed = await add(id, ['a.txt', 'a.txt', 'a.txt'], 'RENAME');
  assert.deepEqual(
    renamed.map((row) => (typeof row === 'string' ? row : row.path)),
    ['a (5).txt', 'a (201).txt', 'a (202).txt'],
  );
});

forAnyDatabase('a commit that stores nothing makes no version', async (_t, open) => {
  const { add, datasets, newDataset, db, commits } = createDataSetting(await open());
  const id = await newDataset();
  await add(id, ['a']);
  assert.deepEqual(await add(id, ['a'], 'ERROR'), ['FILE_ALREADY_EXISTS']);
  await add(id, []);
  await db.write((tx) => commits.end(tx, { datasetId: id, by: 'ann', fileIds: ['unknown'] }));
  assert.equal((await datasets.get(id)).version, 2);
});

forAnyDatabase('an archived or deleted dataset takes nothing', async (_t, open) => {
  const { add, datasets, newDataset, files } = createDataSetting(await open());
  const id = await newDataset();
  await datasets.update(id, { status: 'ARCHIVED' }, 'ann');
  await assert.rejects(add(id, ['a']), { code: 'DATASET_ARCHIVED' });
  await assert.rejects(files.createDirectory(id, { directoryName: 'd' }, 'ann'), { code: 'DATASET_ARCHIVED' });
  await datasets.remove(id, 'ann');
  await assert.rejects(add(id, ['a']), { code: 'DATASET_NOT_FOUND' });
  await assert.rejects(add('unknown', ['a']), { code: 'DATASET_NOT_FOUND' });
});

forAnyDatabase('slices are one version; an archive gives way to its entries', async (_t, open) => {
  const { add, datasets, newDataset, db, commits, paths, versions } = createDataSetting(await open());
  const id = await newDataset();
  const [archive] = await add(id, [newFile('in/a.zip', { status: 'PROCESSING', blobId: 'archive' })]);
  assert.ok(typeof archive === 'object');
  async function* slices(): AsyncIterable<NewFile[]> {
    yield [newFile('in/a.zip', { sizeBytes: 1 }), newFile('in/1')];
    yield [newFile('in/2'), newFile('in/1', { sizeBytes: 9 })];
  }
  const outcomes: string[] = [];
  const { version } = await db.write((tx) =>
    commits.addAll(
      tx,
      {
        datasetId: id,
        by: 'ann',
        onConflict: 'REPLACE',
        slices: slices(),
        replacing: { fileId: archive.file_id, blobId: 'archive' },
      },
      (outcome, file) => outcomes.push(`${outcome.kind} ${file.path}`),
    ),
  );
  assert.equal(version, 3);
  assert.deepEqual(outcomes, ['added in/a.zip', 'added in/1', 'added in/2', 'added in/1']);
  assert.deepEqual(await paths(id), ['in/1', 'in/2', 'in/a.zip']);
  const { totalSize, fileCount } = await datasets.get(id);
  assert.deepEqual([fileCount, totalSize], [3, 9 + 4 + 1]);
  const [newest] = (await versions.list(id, { page: 0, size: 1 })).content;
  assert.deepEqual([newest?.filesAdded, newest?.filesEnded, newest?.fileCount], [3, 1, 3]);
  assert.deepEqual(await paths(id, { version: 2 }), ['in/a.zip']);
});

forAnyDatabase(
  'a commit that replaces all content, or files by id, is one version; the one before stays whole',
  async (_t, open) => {
    const { add, datasets, newDataset, db, commits, paths, versions, files } = createDataSetting(await open());
    const id = await newDataset();
    // More than one slice of ending files.
    const names = Array.from({ length: 5_100 }, (_, index) => `old/${String(index).padStart(4, '0')}`);
    const rows = await add(id, [...names, 'a', 'same']);
    await files.createDirectory(id, { directoryName: 'empty' }, 'ann');
    const before = await paths(id);
    async function* slices(): AsyncIterable<NewFile[]> {
      // A folder where a file was, a file where a folder was, and a path that stays.
      yield [newFile('a/1'), newFile('old')];
      yield [newFile('same', { sizeBytes: 9 })];
    }
    const commit = { datasetId: id, by: 'ann', onConflict: 'ERROR' as const };
    const { version } = await db.write((tx) =>
      commits.addAll(tx, { ...commit, slices: slices(), ending: { prefix: '' } }, ({ kind }) =>
        assert.equal(kind, 'added'),
      ),
    );
    assert.equal(version, 4);
    assert.deepEqual(await paths(id), ['a/1', 'old', 'same']);
    assert.deepEqual(await paths(id, { version: 3 }), before);
    const [newest] = (await versions.list(id, { page: 0, size: 1 })).content;
    assert.deepEqual([newest?.filesAdded, newest?.filesEnded, newest?.fileCount], [3, 5_102, 3]);
    assert.equal((await datasets.get(id)).fileCount, 3);

    const gone = rows.flatMap((row) => (typeof row === 'object' && row.path === 'same' ? [row.file_id] : []));
    const [current] = (await files.list(id, { page: 0, size: 10, directories: false })).content;
    async function* ids(): AsyncIterable<string[]> {
      yield gone;
      yield [current?.id ?? ''];
    }
    async function* one(): AsyncIterable<NewFile[]> {
      yield [newFile('a')];
    }
    await db.write((tx) => commits.addAll(tx, { ...commit, slices: one(), ending: { fileIds: ids() } }));
    assert.deepEqual(await paths(id), ['a', 'old', 'same'], 'a file that has ended already ends nothing');
    assert.equal((await datasets.get(id)).version, 5);
  },
);

forAnyDatabase('a purge erases every state of a file and lets go of what they held', async (_t, open) => {
  const { add, newDataset, files, released, retained, versions, datasets } = createDataSetting(await open());
  const id = await newDataset();
  const [first] = await add(id, [newFile('a.txt', { blobId: 'one', sizeBytes: 10 }), newFile('b.txt')]);
  assert.ok(typeof first === 'object');
  await add(id, [newFile('a.txt', { blobId: 'two', sizeBytes: 20 })]);
  await files.update(id, first.file_id, { fileName: ' c.md ' }, 'ann');
  assert.deepEqual(retained, ['two'], 'both rows of a renamed file hold its content');
  await files.remove(id, first.file_id, false, 'ann');
  await assert.rejects(files.remove(id, first.file_id, false, 'ann'), { code: 'FILE_NOT_FOUND' });
  assert.deepEqual(released, [], 'older versions keep what they hold');
  await files.remove(id, first.file_id, true, 'ann');
  assert.deepEqual(released.sort(byText), ['one', 'two', 'two']);
  await assert.rejects(files.remove(id, first.file_id, true, 'ann'), { code: 'FILE_NOT_FOUND' });
  await assert.rejects(files.get(id, first.file_id, 2), { code: 'FILE_NOT_FOUND' });
  const { content } = await versions.list(id, { page: 0, size: 10, sort: 'version,asc' });
  assert.deepEqual(
    content.map(({ version, fileCount, totalSize }) => [version, fileCount, totalSize]),
    [
      [1, 0, 0],
      [2, 1, 5],
      [3, 1, 5],
      [4, 1, 5],
      [5, 1, 5],
    ],
  );
  assert.equal((await datasets.get(id)).version, 5, 'nothing of the current version has changed');
});

forAnyDatabase('commits at the same time come one after the other', async (_t, open) => {
  const { add, datasets, newDataset, paths, versions } = createDataSetting(await open());
  const id = await newDataset();
  await Promise.all(
    Array.from({ length: 8 }, (_, index) => add(id, [`${index}.txt`, 'same.txt', `d/${index}`], 'RENAME')),
  );
  const { version, fileCount } = await datasets.get(id);
  assert.deepEqual([version, fileCount], [9, 24]);
  const numbers = Array.from({ length: 7 }, (_, index) => `same (${index + 1}).txt`);
  assert.deepEqual(
    (await paths(id)).filter((path) => path.startsWith('same')),
    [...numbers, 'same.txt'],
  );
  const { content } = await versions.list(id, { page: 0, size: 10 });
  assert.deepEqual(
    content.map((row) => row.fileCount),
    [24, 21, 18, 15, 12, 9, 6, 3, 0],
  );
});

forAnyDatabase('the deepest paths are stored whole', async (_t, open) => {
  const { add, newDataset, paths, datasets } = createDataSetting(await open());
  const id = await newDataset();
  const deep = Array.from({ length: 2_048 }, () => 'a').join('/');
  await add(id, [deep, `${deep.slice(0, -2)}/b`]);
  assert.deepEqual(await paths(id), [deep, `${deep.slice(0, -2)}/b`]);
  assert.equal((await datasets.get(id)).fileCount, 2);
});

function byText(left: string, right: string): number {
  return left < right ? -1 : 1;
}
