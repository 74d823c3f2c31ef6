import { foreign } from '../../../kernel/sentences/index.ts';
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { readZip } from '../../../../tests/contract/zip-reading.ts';
import { adoptAll, openTestStore, writeBlob } from '../../../../tests/support/blobs.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import type { ByteSource } from '../../../kernel/byte-source.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { createDatasets } from '../datasets/datasets.ts';
import { createDownloads, type Downloads } from './downloads.ts';
import { createFileCommits, type FileCommits, type FileRow, type FileStatus } from '../files/file-commits.ts';
import { createFiles, type Files } from '../files/files.ts';

type Setting = {
  datasetId: string;
  db: Database;
  commits: FileCommits;
  files: Files;
  downloads: Downloads;
  /** Commits files as one version and returns their rows by path. */
  put(contents: Readonly<Record<string, string | Buffer>>, status?: FileStatus): Promise<Map<string, FileRow>>;
  end(fileId: string | undefined, purge?: boolean): Promise<void>;
};

async function openSetting(t: TestContext, open: () => Promise<Database>): Promise<Setting> {
  const db = await open();
  const { store: blobs } = await openTestStore(t, { db });
  const commits = createFileCommits({ clock: systemClock, blobs });
  const datasets = createDatasets({ db, clock: systemClock, isBusy: async () => false, onRemoved() {} });
  const { id: datasetId } = await datasets.create({ name: 'My data', type: 'TEXT' }, 'ann');
  return {
    datasetId,
    db,
    commits,
    files: createFiles({ db, commits }),
    downloads: createDownloads({ db, blobs, commits }),
    async put(contents, status = 'COMPLETED') {
      const files: { path: string; staged: StagedBlob }[] = [];
      for (const [path, content] of Object.entries(contents))
        files.push({ path, staged: await writeBlob(blobs, Buffer.from(content)) });
      await adoptAll(
        blobs,
        db,
        files.map(({ staged }) => staged),
      );
      const { outcomes } = await db.write((tx) =>
        commits.add(tx, {
          datasetId,
          by: 'ann',
          onConflict: 'REPLACE',
          files: files.map(({ path, staged }) => ({
            path,
            originalName: path,
            sizeBytes: staged.sizeBytes,
            status,
            blobId: staged.id,
          })),
        }),
      );
      return new Map(
        outcomes.map((outcome) => {
          assert.ok(outcome.kind === 'added');
          return [outcome.file.path, outcome.file];
        }),
      );
    },
    async end(fileId = '', purge = false) {
      const { missing } = await db.write((tx) => commits.end(tx, { datasetId, by: 'ann', fileIds: [fileId], purge }));
      assert.deepEqual(missing, []);
    },
  };
}

async function read(source: ByteSource, start = 0, end = source.sizeBytes): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  const stream = await source.open(start, end);
  try {
    for (let at = 0; at < bytes.length;) {
      const filled = await stream.fill(bytes.subarray(at, at + 10_000));
      assert.ok(filled > 0);
      at += filled;
    }
  } finally {
    await stream.close();
  }
  return bytes;
}

/** Only the archive measured last keeps its entries in memory: this one loads each batch again when it is sent. */
async function archiveWithoutEntries(downloads: Downloads, datasetId: string): ReturnType<Downloads['archive']> {
  await downloads.archive(datasetId, {});
  await downloads.archive(datasetId, { fileType: 'other' });
  return downloads.archive(datasetId, {});
}

async function unpack(source: ByteSource): Promise<Record<string, string>> {
  const entries = await readZip(await read(source));
  return Object.fromEntries([...entries].map(([path, bytes]) => [path, bytes.toString()]));
}

forAnyDatabase('a file comes with the bytes, type and name that it has, or had at a version', async (t, open) => {
  const { datasetId, downloads, put, end } = await openSetting(t, open);
  const first = (await put({ 'a/page.html': 'one' })).get('a/page.html');
  await put({ 'a/page.html': 'two' });
  const fileId = first?.file_id ?? '';
  const now = await downloads.file(datasetId, fileId);
  assert.equal((await read(now.source)).toString(), 'two');
  assert.deepEqual([now.fileName, now.contentType], ['page.html', 'text/html']);
  const then = await downloads.file(datasetId, fileId, 2);
  assert.equal((await read(then.source)).toString(), 'one');
  assert.equal(then.tag, first?.blob_id);
  assert.notEqual(now.tag, then.tag);
  await end(fileId);
  await assert.rejects(downloads.file(datasetId, fileId), { code: 'FILE_NOT_FOUND' });
  assert.equal((await read((await downloads.file(datasetId, fileId, 3)).source)).toString(), 'two');
  await assert.rejects(downloads.file(datasetId, fileId, 1), { code: 'FILE_NOT_FOUND' });
  await assert.rejects(downloads.file(datasetId, fileId, 9), { code: 'VERSION_NOT_FOUND' });
  await assert.rejects(downloads.file('other', fileId), { code: 'DATASET_NOT_FOUND' });
});

forAnyDatabase('files that are not COMPLETED: a conflict alone, skipped and counted in an archive', async (t, open) => {
  const { datasetId, db, commits, downloads, put } = await openSetting(t, open);
  const waiting = (await put({ 'b/new.zip': 'archive' }, 'PROCESSING')).get('b/new.zip');
  await put({ 'a.txt': 'whole' });
  const fileId = waiting?.file_id ?? '';
  await assert.rejects(downloads.file(datasetId, fileId), { code: 'FILE_NOT_COMPLETED', message: /PROCESSING/ });
  const skipping = await downloads.archive(datasetId, {});
  assert.deepEqual([await unpack(skipping.source), skipping.skippedFiles], [{ 'a.txt': 'whole' }, 1]);
  assert.equal((await downloads.archive(datasetId, { fileIds: fileId })).skippedFiles, 1);
  assert.equal((await downloads.archive(datasetId, { fileType: 'txt' })).skippedFiles, 0);
  await db.write((tx) => commits.setStatus(tx, { datasetId, fileId, status: 'ERROR', error: foreign('not a ZIP') }));
  await assert.rejects(downloads.file(datasetId, fileId), { message: /ERROR \(not a ZIP\)/ });
  await db.write((tx) => commits.setStatus(tx, { datasetId, fileId, status: 'COMPLETED' }));
  const complete = await downloads.archive(datasetId, {});
  assert.deepEqual(Object.keys(await unpack(complete.source)), ['a.txt', 'b/new.zip']);
  assert.equal(complete.skippedFiles, 0);
});

forAnyDatabase('an archive holds what its filters select, in the order of the bytes of the paths', async (t, open) => {
  const { datasetId, downloads, put } = await openSetting(t, open);
  const files = await put({
    'b/c.md': 'c',
    'b-c.TXT': 'bc',
    'b/é.txt': 'é',
    '高.txt': '高',
    b0: 'b0',
    'B.txt': 'B',
    '😀.txt': 's',
  });
  const pathsOf = async (query: Parameters<Downloads['archive']>[1]): Promise<string[]> =>
    Object.keys(await unpack((await downloads.archive(datasetId, query)).source));
  const all = [...files.keys()].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.deepEqual(await pathsOf({}), all);
  assert.deepEqual(await pathsOf({ prefix: 'b' }), ['b/c.md', 'b/é.txt']);
  assert.deepEqual(await pathsOf({ prefix: '/' }), all);
  assert.deepEqual(await pathsOf({ prefix: 'b', fileType: 'TXT' }), ['b/é.txt']);
  assert.deepEqual(await pathsOf({ fileType: '' }), ['b0']);
  const idOf = (path: string): string => files.get(path)?.file_id ?? '';
  assert.deepEqual(await pathsOf({ fileIds: `${idOf('高.txt')},${idOf('b0')}, ${idOf('b0')}` }), ['b0', '高.txt']);
  assert.deepEqual(await pathsOf({ fileIds: `${idOf('高.txt')},${idOf('b/c.md')}`, prefix: 'b' }), ['b/c.md']);
  await assert.rejects(pathsOf({ fileIds: `${idOf('b0')},nobody` }), { code: 'FILE_NOT_FOUND', message: /nobody/ });
  for (const fileIds of ['', ',', 'a b', `${idOf('b0')},`])
    await assert.rejects(pathsOf({ fileIds }), { code: 'INVALID_PARAMETER', field: 'fileIds' });
  await assert.rejects(pathsOf({ prefix: '../x' }), { code: 'INVALID_PARAMETER', field: 'prefix' });
  await assert.rejects(pathsOf({ version: 7 }), { code: 'VERSION_NOT_FOUND' });
  assert.equal((await downloads.archive(datasetId, {})).fileName, 'My data.zip');
});

forAnyDatabase('folders without files are in the archive of every version that has them', async (t, open) => {
  const { datasetId, db, commits, downloads, put, end } = await openSetting(t, open);
  for (const path of ['bare', 'full', 'outer', 'outer/inner', 'bare-too', 'gone'])
    await db.write((tx) => commits.createDirectory(tx, { datasetId, by: 'ann', path }));
  const file = (await put({ 'full/a.txt': 'a' })).get('full/a.txt');
  await db.write((tx) => commits.endDirectory(tx, { datasetId, by: 'ann', path: 'gone' }));
  const pathsOf = async (query: Parameters<Downloads['archive']>[1]): Promise<string[]> =>
    Object.keys(await unpack((await downloads.archive(datasetId, query)).source)).toSorted();
  assert.deepEqual(await pathsOf({}), ['bare-too/', 'bare/', 'full/a.txt', 'outer/inner/']);
  assert.deepEqual(await pathsOf({ version: 8 }), ['bare-too/', 'bare/', 'full/a.txt', 'gone/', 'outer/inner/']);
  assert.deepEqual(await pathsOf({ version: 2 }), ['bare/']);
  assert.deepEqual(await pathsOf({ prefix: 'outer' }), ['outer/inner/']);
  assert.deepEqual(await pathsOf({ prefix: 'bare' }), ['bare/']);
  assert.deepEqual(await pathsOf({ fileType: 'txt' }), ['full/a.txt']);
  await end(file?.file_id);
  assert.deepEqual(await pathsOf({}), ['bare-too/', 'bare/', 'full/', 'outer/inner/']);
  assert.deepEqual(await pathsOf({ version: 8 }), ['bare-too/', 'bare/', 'full/a.txt', 'gone/', 'outer/inner/']);
});

forAnyDatabase('an archive stays that of its version while files come, change and go', async (t, open) => {
  const { datasetId, downloads, put, end } = await openSetting(t, open);
  const contents = Object.fromEntries(Array.from({ length: 1_300 }, (_, n) => [`d${n % 7}/${n}.txt`, `content ${n}`]));
  const files = await put(contents);
  const before = await downloads.archive(datasetId, {});
  const whole = await read(before.source);
  const { source, tag } = await archiveWithoutEntries(downloads, datasetId);
  assert.equal(tag, before.tag);
  const stream = await source.open(0, source.sizeBytes);
  const bytes = Buffer.alloc(source.sizeBytes);
  let at = await stream.fill(bytes.subarray(0, 100));
  await put({ 'd0/0.txt': 'changed', 'a-new': 'new', 'd6/zzz': 'new' });
  await end(files.get('d3/3.txt')?.file_id);
  while (at < bytes.length) at += await stream.fill(bytes.subarray(at, at + 50_000));
  await stream.close();
  assert.ok(bytes.equals(whole));
  const old = await downloads.archive(datasetId, { version: 2 });
  assert.equal(old.tag, tag);
  for (let n = 0; n < 100; n++) {
    const start = (n * 7_919) % whole.length;
    const end = Math.min(whole.length, start + ((n * 104_729) % 30_000));
    assert.ok((await read(old.source, start, end)).equals(whole.subarray(start, end)));
  }
  const now = await downloads.archive(datasetId, {});
  assert.notEqual(now.tag, tag);
  const entries = await unpack(now.source);
  assert.equal(entries['d0/0.txt'], 'changed');
  assert.equal(entries['d3/3.txt'], undefined);
  assert.equal(Object.keys(entries).length, 1_301);
  assert.deepEqual(await unpack(old.source), contents);
});

forAnyDatabase('a purge midway breaks the archive; asked for again it is another one', async (t, open) => {
  const { datasetId, downloads, put, end } = await openSetting(t, open);
  const files = await put(
    Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`${n + 1_000}`, `content ${n}`])),
  );
  const { tag } = await downloads.archive(datasetId, {});
  const { source } = await archiveWithoutEntries(downloads, datasetId);
  await end(files.get('2060')?.file_id, true);
  await assert.rejects(read(source), { code: 'CONTENT_CHANGED' });
  for (const query of [{}, { version: 2 }]) {
    const again = await downloads.archive(datasetId, query);
    assert.notEqual(again.tag, tag);
    const entries = await unpack(again.source);
    assert.equal(Object.keys(entries).length, 1_099);
    assert.equal(entries['2060'], undefined);
  }
});

forAnyDatabase('downloads of one archive at the same time share what is known of it', async (t, open) => {
  const { datasetId, downloads, put } = await openSetting(t, open);
  await put({ a: 'a', b: '', c: 'c'.repeat(300_000) });
  const archives = await Promise.all(Array.from({ length: 8 }, () => downloads.archive(datasetId, {})));
  const expected = { a: 'a', b: '', c: 'c'.repeat(300_000) };
  for (const entries of await Promise.all(archives.map(({ source }) => unpack(source))))
    assert.deepEqual(entries, expected);
  assert.equal(new Set(archives.map(({ tag }) => tag)).size, 1);
});
