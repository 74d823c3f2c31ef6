import assert from 'node:assert/strict';
import { createDataSetting, newFile, type DataSetting } from '../../../../tests/support/data-management.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { uploadRow } from '../../../../tests/support/upload-rows.ts';
import { insertUpload } from '../queries/uploads.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { recountCounters } from '../verification/counter-recount.ts';

const page = { page: 0, size: 100 };

/** The changes as `KIND path` or `KIND old → new`, and their counts. */
async function compare(
  { versionDiffs }: DataSetting,
  datasetId: string,
  from: number,
  to?: number,
  query: { change?: 'MOVED'; prefix?: string } = {},
): Promise<{ lines: string[]; counts: number[]; total: number }> {
  const diff = await versionDiffs.compare(datasetId, { ...page, from, ...(to === undefined ? {} : { to }), ...query });
  const { added, changed, moved, removed } = diff.summary;
  const lines = diff.content.map(({ change, filePath, before, after }) => {
    const isElsewhere = before !== null && after !== null && before.filePath !== after.filePath;
    return `${change} ${isElsewhere ? `${before.filePath} → ` : ''}${filePath}`;
  });
  return { lines, counts: [added, changed, moved, removed], total: diff.totalElements };
}

/** A dataset with versions 2 (a, b, c/d, e), 3 (b changed, f added), 4 (c/d moved to g, a deleted), 5 (another a). */
async function openHistory(setting: DataSetting): Promise<{ id: string; idOf(path: string): string }> {
  const { newDataset, add, db, commits } = setting;
  const id = await newDataset();
  const blob = (path: string, blobId: string) => newFile(path, { blobId });
  const rows = await add(id, [blob('a', '1'), blob('b', '2'), blob('c/d', '3'), blob('e', '4')]);
  const ids = new Map(rows.map((row) => (typeof row === 'string' ? [row, ''] : [row.path, row.file_id])));
  const idOf = (path: string): string => ids.get(path) ?? '';
  await add(id, [blob('b', '5'), blob('f', '6')]);
  await db.write(async (tx) => {
    const draft = { datasetId: id, by: 'bob' };
    await commits.end(tx, { ...draft, fileIds: [idOf('a')] });
  });
  await db.write((tx) => commits.move(tx, { datasetId: id, by: 'bob', fileId: idOf('c/d'), path: 'g' }));
  await add(id, [blob('a', '7')]);
  return { id, idOf };
}

forAnyDatabase('two versions are compared by path and content, in both directions', async (_t, open) => {
  const setting = createDataSetting(await open());
  const { id } = await openHistory(setting);
  assert.deepEqual(await compare(setting, id, 2), {
    lines: ['CHANGED a', 'CHANGED b', 'ADDED f', 'MOVED c/d → g'],
    counts: [1, 2, 1, 0],
    total: 4,
  });
  assert.deepEqual(await compare(setting, id, 6, 2), {
    lines: ['CHANGED a', 'CHANGED b', 'MOVED g → c/d', 'REMOVED f'],
    counts: [0, 2, 1, 1],
    total: 4,
  });
  assert.deepEqual((await compare(setting, id, 3, 4)).lines, ['REMOVED a']);
  assert.deepEqual((await compare(setting, id, 1, 2)).lines, ['ADDED a', 'ADDED b', 'ADDED c/d', 'ADDED e']);
  assert.deepEqual((await compare(setting, id, 4, 4)).lines, []);
  assert.deepEqual(await compare(setting, id, 2, 6, { change: 'MOVED' }), {
    lines: ['MOVED c/d → g'],
    counts: [1, 2, 1, 0],
    total: 1,
  });
  assert.deepEqual((await compare(setting, id, 2, 6, { prefix: 'c' })).lines, ['MOVED c/d → g']);
  const second = await setting.versionDiffs.compare(id, { page: 1, size: 3, from: 2 });
  assert.deepEqual([second.content.map(({ filePath }) => filePath), second.totalPages], [['g'], 2]);
  await assert.rejects(compare(setting, id, 9), { code: 'VERSION_NOT_FOUND' });
  await assert.rejects(compare(setting, id, 1, 9), { code: 'VERSION_NOT_FOUND' });
});

forAnyDatabase('a restore brings a version back as a new one, with ids, folders and counters', async (_t, open) => {
  const setting = createDataSetting(await open());
  const { files, datasets, versions, retained, released, paths } = setting;
  const { id, idOf } = await openHistory(setting);
  await files.createDirectory(id, { directoryName: 'new' }, 'ann');
  const restored = await versions.restore(id, { version: 2 }, 'eve');
  assert.deepEqual(
    [restored.version, restored.createdBy, restored.message, restored.filesAdded, restored.filesEnded],
    [8, 'eve', 'Restored version 2', 3, 4],
  );
  assert.deepEqual(await paths(id), ['a', 'b', 'c/d', 'e']);
  assert.deepEqual((await compare(setting, id, 2, 8)).lines, []);
  assert.deepEqual((await compare(setting, id, 7, 8)).lines, ['CHANGED a', 'CHANGED b', 'MOVED g → c/d', 'REMOVED f']);
  assert.deepEqual([retained.toSorted(), released], [['1', '2', '3', '3'], []], 'the move retained one, too');
  assert.equal((await files.get(id, idOf('a'))).filePath, 'a');
  const { fileCount, totalSize } = await datasets.get(id);
  assert.deepEqual([fileCount, totalSize], [4, 6]);
  const folders = await files.list(id, { ...page, directories: true });
  assert.deepEqual(
    folders.directories?.map(({ path }) => path),
    ['c'],
  );
  assert.deepEqual(await paths(id, { version: 7 }), ['a', 'b', 'e', 'f', 'g']);

  const again = await versions.restore(id, { version: 8 }, 'eve');
  assert.equal(again.version, 8, 'nothing differs: no new version');
  const forth = await versions.restore(id, { version: 7, message: 'back' }, 'eve');
  assert.deepEqual([forth.version, forth.message], [9, 'back']);
  assert.deepEqual((await compare(setting, id, 7, 9)).lines, []);
  const level = await files.list(id, { ...page, directories: true });
  assert.deepEqual(
    level.directories?.map(({ path }) => path),
    ['new'],
    'an empty folder comes back',
  );
  await versions.restore(id, { version: 1 }, 'eve');
  assert.deepEqual(await paths(id), []);
});

forAnyDatabase('a restore is refused while others add files, and says who', async (_t, open) => {
  const setting = createDataSetting(await open());
  const { versions, runUses, db, datasets } = setting;
  const { id } = await openHistory(setting);
  await assert.rejects(versions.restore(id, { version: 9 }, 'eve'), { code: 'VERSION_NOT_FOUND' });
  runUses.writer = 'run-7';
  await assert.rejects(versions.restore(id, { version: 2 }, 'eve'), { code: 'DATASET_WRITTEN', message: /run-7/ });
  runUses.writer = undefined;
  const now = systemClock.now().toISOString();
  const row = uploadRow({ id: 'upload-1', dataset_id: id, created_at: now, active_at: now });
  await db.write((tx) => insertUpload(tx, row));
  await assert.rejects(versions.restore(id, { version: 2 }, 'eve'), {
    code: 'UPLOAD_OPEN',
    message: /upload-1 of ann/,
  });
  await datasets.update(id, { status: 'ARCHIVED' }, 'ann');
  await db.write((tx) => tx.deleteFrom('uploads').execute());
  await assert.rejects(versions.restore(id, { version: 2 }, 'eve'), { code: 'DATASET_ARCHIVED' });
  assert.equal((await datasets.get(id)).version, 6);
});

forAnyDatabase('pruning deletes what only old versions hold, and tells beforehand what', async (_t, open) => {
  const setting = createDataSetting(await open());
  const { versions, versionPruning, versionDiffs, runUses, released, db, paths } = setting;
  const { id } = await openHistory(setting);
  const blobs = ['1', '2', '3', '4', '5', '6', '7'].map((blob) => ({
    id: blob,
    size_bytes: 10 ** (Number(blob) - 1),
    crc32: 0,
    sha256: null,
    refs: blob === '3' ? 2 : 1,
    kind: 'empty' as const,
    object_id: '',
    object_offset: 0,
    folder_no: null,
  }));
  await db.write((tx) => tx.insertInto('blobs').values(blobs).execute());
  runUses.versionsRead = [3];
  const numbers = async (): Promise<number[]> => (await versions.list(id, page)).content.map(({ version }) => version);
  await assert.rejects(versionPruning.prune(id, {}), { code: 'INVALID_PARAMETER' });
  await assert.rejects(versionPruning.prune('none', { keepLast: 1 }), { code: 'DATASET_NOT_FOUND' });
  const nothing = { versions: 0, files: 0, bytes: 0, keptNamed: 0, keptUsed: 0 };
  assert.deepEqual(await versionPruning.prune(id, { keepLast: 9 }), { dryRun: false, ...nothing });
  assert.deepEqual(await versionPruning.prune(id, { before: '2001-01-01T00:00:00.000Z' }), {
    dryRun: false,
    ...nothing,
  });
  // Version 3 still needs a and c/d as they were, so only b of version 2 is erased.
  const expected = { versions: 4, files: 1, bytes: 10, keptNamed: 0, keptUsed: 1 };
  assert.deepEqual(await versionPruning.prune(id, { keepLast: 1, dryRun: true }), { dryRun: true, ...expected });
  assert.deepEqual([await numbers(), released], [[6, 5, 4, 3, 2, 1], []], 'a dry run deletes nothing');
  assert.deepEqual(await versionPruning.prune(id, { keepLast: 1 }), { dryRun: false, ...expected });
  assert.deepEqual([await numbers(), released], [[6, 3], ['2']]);
  assert.deepEqual(await paths(id, { version: 3 }), ['a', 'b', 'c/d', 'e', 'f']);
  await assert.rejects(versionDiffs.compare(id, { ...page, from: 2 }), { code: 'VERSION_NOT_FOUND' });
  assert.deepEqual((await compare(setting, id, 3)).lines, ['CHANGED a', 'MOVED c/d → g']);
  assert.deepEqual(await recountCounters(db.read, id, 10), [], 'what pruned versions changed still counts');

  runUses.versionsRead = [];
  released.splice(0);
  const rest = await versionPruning.prune(id, { before: '2999-01-01T00:00:00.000Z' });
  assert.deepEqual(rest, { dryRun: false, versions: 1, files: 2, bytes: 1, keptNamed: 0, keptUsed: 0 });
  assert.deepEqual(released.toSorted(), ['1', '3'], 'c/d shares its bytes with g');
  assert.deepEqual(await paths(id), ['a', 'b', 'e', 'f', 'g']);
});

forAnyDatabase('a named version is never pruned', async (_t, open) => {
  const setting = createDataSetting(await open());
  const { versions, versionPruning, newDataset, add, paths } = setting;
  const id = await newDataset();
  await add(id, ['a']);
  await versions.nameCurrent(id, { name: 'first' });
  await add(id, ['a', 'b']);
  const pruned = await versionPruning.prune(id, { keepLast: 1 });
  assert.deepEqual([pruned.versions, pruned.keptNamed, pruned.files], [1, 1, 0]);
  assert.deepEqual(await paths(id, { version: 2 }), ['a']);
});
