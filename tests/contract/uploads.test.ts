import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sortedStatuses } from './answer.ts';
import { startApp } from '../support/server.ts';
import { createClient } from './client.ts';
import { closeIdleConnections } from './http-exchange.ts';
import { sharedService } from './service.ts';
import { ChunkResult, Id, Statistics } from './shapes.ts';

const shared = sharedService(import.meta.url);
const data = '/data-management';
const mebibyte = 1024 * 1024;

test('pre-upload', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();

  await t.test('gives a JSON string, each call another', async () => {
    const body = { totalFileNum: 1, totalSize: 0 };
    const answers = [await admin.preUpload(id, body), await admin.preUpload(id, body)];
    const ids = answers.map((answer) => answer.is(200, Id));
    assert.notEqual(ids[0], ids[1]);
  });

  await t.test('limits of its fields', async () => {
    const good = { totalFileNum: 1, totalSize: 1 };
    const wrong: [body: Record<string, unknown>, field: string][] = [
      [{ ...good, totalFileNum: 0 }, 'totalFileNum'],
      [{ ...good, totalFileNum: -1 }, 'totalFileNum'],
      [{ ...good, totalFileNum: 1_000_001 }, 'totalFileNum'],
      [{ ...good, totalSize: -1 }, 'totalSize'],
      [{ ...good, totalSize: 0.5 }, 'totalSize'],
      [{ ...good, totalSize: 1e30 }, 'totalSize'],
      [{ ...good, chunkSize: 0 }, 'chunkSize'],
      [{ ...good, chunkSize: -1 }, 'chunkSize'],
      [{ ...good, chunkSize: 64 * mebibyte + 1 }, 'chunkSize'],
      [{ ...good, onConflict: 'MERGE' }, 'onConflict'],
      [{ ...good, prefix: '../up' }, 'prefix'],
      [{ ...good, hasArchive: 1 }, 'hasArchive'],
    ];
    for (const [body, field] of wrong) (await admin.preUpload(id, body)).fails(400, 'INVALID_PARAMETER', field);
    for (const body of [
      { ...good, totalFileNum: 1_000_000 },
      { ...good, totalSize: 0 },
      { ...good, chunkSize: 1, onConflict: 'RENAME', prefix: '/', hasArchive: false },
      { ...good, prefix: '' },
      { ...good, prefix: 'a/b/' },
    ]) {
      (await admin.preUpload(id, body)).is(200, Id);
    }
  });
});

test('a checksum that could not be fed in order is computed soon', async () => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const content = randomBytes(200_000);
  const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: content.length });
  for (const chunkNo of [4, 2, 3, 1]) {
    const bytes = content.subarray((chunkNo - 1) * 50_000, chunkNo * 50_000);
    await admin.chunk(id, { reqId, fileNo: 1, fileName: 'a.bin', totalChunkNum: 4, chunkNo, bytes });
  }
  const wanted = createHash('sha256').update(content).digest('hex');
  const deadline = Date.now() + 30_000;
  for (;;) {
    const sum = (await admin.files(id)).get('a.bin')?.sha256;
    if (sum === wanted) break;
    assert.ok(sum === null && Date.now() < deadline, `sha256 ${sum}`);
    await setTimeout(20);
  }
});

test('an upload that is idle for a week is cleaned up', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-contract-'));
  t.after(closeIdleConnections);
  const first = await startApp(t, { dataDir });
  const before = createClient({ url: first.url, credential: { Authorization: `Bearer ${first.token}` } });
  const { id } = await before.newDataset();
  const reqId = await before.newUpload(id, { totalFileNum: 1, totalSize: 4 });
  const fields = { reqId, fileNo: 1, fileName: 'late.txt', totalChunkNum: 2, chunkNo: 1, bytes: 'aa' };
  await before.chunk(id, fields);
  await first.close();

  const week = 7 * 24 * 60 * 60 * 1000;
  const clock = { now: () => new Date(Date.now() + week + 60_000) };
  const later = await startApp(t, { dataDir, clock });
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const after = createClient({ url: later.url, credential: { Authorization: `Bearer ${later.token}` } });
  const deadline = Date.now() + 30_000;
  while ((await after.get(`${data}/datasets/${id}/files/upload/${reqId}`)).status !== 404) {
    assert.ok(Date.now() < deadline, 'the upload never expired');
    await setTimeout(50);
  }
  (await after.sendChunk(id, { ...fields, chunkNo: 2 })).fails(404, 'UPLOAD_NOT_FOUND');
  assert.equal((await after.files(id)).size, 0);
});

test('what happens to a name that is taken', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  await admin.putFiles(id, { 'a.txt': 'old', 'folder/x.txt': 'x' });
  const before = (await admin.files(id)).get('a.txt');
  const send = async (onConflict: string | undefined, fileName: string, bytes: string) => {
    const more = onConflict === undefined ? {} : { onConflict };
    const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: bytes.length, ...more });
    return admin.sendChunk(id, { reqId, fileNo: 1, fileName, totalChunkNum: 1, chunkNo: 1, bytes });
  };

  await t.test('REPLACE is the default', async () => {
    const { file } = (await send(undefined, 'a.txt', 'new')).is(200, ChunkResult);
    assert.deepEqual([file?.id, (await admin.files(id)).size], [before?.id, 2]);
    assert.equal((await admin.download(id, before?.id ?? '')).bytes.toString(), 'new');
  });

  await t.test('RENAME gives the newcomer another name', async () => {
    const { file } = (await send('RENAME', 'a.txt', 'renamed')).is(200, ChunkResult);
    assert.ok(file !== undefined && file.filePath !== 'a.txt' && file.filePath.startsWith('a'), file?.filePath);
    assert.deepEqual([file.fileType, file.originalName], ['txt', 'a.txt']);
    const again = (await send('RENAME', 'a.txt', 'renamed')).is(200, ChunkResult);
    assert.notEqual(again.file?.filePath, file.filePath);
    assert.equal((await admin.download(id, before?.id ?? '')).bytes.toString(), 'new');
  });

  await t.test('ERROR: 409 at the chunk', async () => {
    (await send('ERROR', 'a.txt', 'refused')).fails(409, 'FILE_ALREADY_EXISTS');
    assert.equal((await admin.download(id, before?.id ?? '')).bytes.toString(), 'new');
    (await send('ERROR', 'free.txt', 'free')).is(200, ChunkResult);
  });

  await t.test('a folder is never replaced by a file, nor a file by a folder', async () => {
    for (const onConflict of ['REPLACE', 'ERROR']) {
      assert.equal((await send(onConflict, 'folder', 'x')).status, 409);
      assert.equal((await send(onConflict, 'a.txt/below', 'x')).status, 409);
    }
    assert.ok((await admin.files(id)).has('folder/x.txt'));
  });

  await t.test('ERROR with a race: one of two uploads gets the name', async () => {
    const answers = await Promise.all([send('ERROR', 'raced.txt', 'one'), send('ERROR', 'raced.txt', 'two')]);
    assert.deepEqual(sortedStatuses(answers), [200, 409]);
  });
});

test('an upload is one version', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const versionNow = async () => (await admin.dataset(id)).version;
  const send = (reqId: string, fileNo: number) =>
    admin.chunk(id, { reqId, fileNo, fileName: `${fileNo}.txt`, totalChunkNum: 1, chunkNo: 1, bytes: `${fileNo}` });

  await t.test('however its files come: one after the other, at once, in a form of many', async () => {
    const before = await versionNow();
    const reqId = await admin.newUpload(id, { totalFileNum: 30, totalSize: 100 });
    for (let fileNo = 0; fileNo < 5; fileNo += 1) await send(reqId, fileNo);
    await Promise.all(Array.from({ length: 25 }, (_, index) => send(reqId, 5 + index)));
    assert.equal(await versionNow(), before + 1);
    assert.equal((await admin.files(id, `&version=${before + 1}`)).size, 30);
    assert.equal((await admin.files(id, `&version=${before}`)).size, 0);
  });

  await t.test('a commit in between closes it, and the next file opens one more', async () => {
    const before = await versionNow();
    const reqId = await admin.newUpload(id, { totalFileNum: 4, totalSize: 100 });
    await send(reqId, 100);
    await send(reqId, 101);
    assert.equal(await versionNow(), before + 1);
    await admin.putFiles(id, { 'other.txt': 'other' });
    assert.equal(await versionNow(), before + 2);
    await send(reqId, 102);
    await send(reqId, 103);
    assert.equal(await versionNow(), before + 3);
    assert.equal((await admin.files(id, `&version=${before + 1}`)).size, 32, 'what was closed never changes');
  });
});

test('resuming and deleting an upload', async (t) => {
  const { admin, viewer } = await shared.open();
  const { id } = await admin.newDataset();
  const reqId = await admin.newUpload(id, { totalFileNum: 2, totalSize: 12 });
  const path = `${data}/datasets/${id}/files/upload/${reqId}`;
  const fields = { reqId, fileNo: 1, fileName: 'a.txt', totalChunkNum: 3, chunkNo: 2, bytes: '22' };
  await admin.chunk(id, fields);

  await t.test('GET tells what arrived and what is missing', async () => {
    const answer = await viewer.get(path);
    assert.equal(answer.status, 200);
    const text = answer.bytes.toString();
    assert.match(text, /"a\.txt"/);
    const numbers = [...text.matchAll(/"(\w*[mM]issing\w*)":(\[[^\]]*\])/g)].map(([, , list]) => list);
    assert.ok(
      numbers.some((list) => /\b1\b.*\b3\b/.test(String(list))),
      `chunks 1 and 3 are missing: ${text}`,
    );
  });

  await t.test('the upload goes on from there', async () => {
    await admin.chunk(id, { ...fields, chunkNo: 1, bytes: '11' });
    const result = await admin.chunk(id, { ...fields, chunkNo: 3, bytes: '3' });
    assert.deepEqual([result.fileCompleted, result.uploadCompleted], [true, false]);
    assert.equal((await admin.download(id, result.file?.id ?? '')).bytes.toString(), '11223');
  });

  await t.test('DELETE ends it: completed files stay, the rest is gone', async () => {
    const other = { ...fields, fileNo: 2, fileName: 'b.txt', totalChunkNum: 2, chunkNo: 1, bytes: 'b' };
    await admin.chunk(id, other);
    (await viewer.delete(path)).fails(403, 'FORBIDDEN');
    (await admin.delete(path)).isEmpty(204);
    (await admin.get(path)).fails(404, 'UPLOAD_NOT_FOUND');
    (await admin.delete(path)).fails(404, 'UPLOAD_NOT_FOUND');
    (await admin.sendChunk(id, { ...other, chunkNo: 2 })).fails(404, 'UPLOAD_NOT_FOUND');
    assert.deepEqual([...(await admin.files(id)).keys()], ['a.txt']);
  });

  await t.test('an upload ends with its dataset', async () => {
    const other = await admin.newDataset();
    const reqId = await admin.newUpload(other.id, { totalFileNum: 1, totalSize: 4 });
    await admin.chunk(other.id, { ...fields, reqId });
    (await admin.delete(`${data}/datasets/${other.id}`)).isEmpty(204);
    (await admin.sendChunk(other.id, { ...fields, reqId, chunkNo: 1 })).fails(404, 'DATASET_NOT_FOUND');
  });
});

test('whole files in one call', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const path = `${data}/datasets/${id}/files/upload`;

  await t.test('one or many, an array in their order, one version', async () => {
    const before = await admin.dataset(id);
    const files = await admin.putFiles(id, { 'z.txt': 'z', 'a/b.md': 'b', empty: '' });
    assert.deepEqual(
      files.map(({ filePath, fileSize }) => [filePath, fileSize]),
      [
        ['z.txt', 1],
        ['a/b.md', 1],
        ['empty', 0],
      ],
    );
    assert.equal((await admin.dataset(id)).version, before.version + 1);
    assert.equal((await admin.putFiles(id, { 'one.txt': 'one' })).length, 1);
  });

  await t.test('a large one', async () => {
    const content = randomBytes(3 * mebibyte + 7);
    const [file] = await admin.putFiles(id, { 'large.bin': content });
    // The SHA-256 may still be missing: it is computed in the background.
    const wanted = createHash('sha256').update(content).digest('hex');
    assert.ok(file?.sha256 === null || file?.sha256 === wanted, `sha256 ${file?.sha256}`);
    assert.ok((await admin.download(id, file?.id ?? '')).bytes.equals(content));
  });

  await t.test('no file, a field that is no file, a wrong name', async () => {
    (await admin.call('POST', path, { form: [] })).fails(400, 'INVALID_PARAMETER', 'files');
    (await admin.call('POST', path, { form: [{ name: 'other', value: 'x' }] })).fails(
      400,
      'INVALID_PARAMETER',
      'files',
    );
    for (const fileName of ['../up.txt', '/etc/passwd', '', 'a\\b', '.', 'x'.repeat(256)]) {
      (await admin.call('POST', path, { form: [{ name: 'files', value: 'x', fileName }] })).fails(
        400,
        'INVALID_PARAMETER',
      );
    }
  });

  await t.test('one bad name and none of the call’s files comes in', async () => {
    const before = await admin.dataset(id);
    const form = [
      { name: 'files', value: 'good', fileName: 'good.txt' },
      { name: 'files', value: 'bad', fileName: '../bad.txt' },
    ];
    (await admin.call('POST', path, { form })).fails(400, 'INVALID_PARAMETER');
    assert.deepEqual(await admin.dataset(id), before);
  });

  await t.test('counters hold after many uploads at once', async () => {
    const busy = await admin.newDataset();
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => admin.putFiles(busy.id, { [`f/${index}.txt`]: 'x'.repeat(index) })),
    );
    const { fileCount, totalSize, version } = await admin.dataset(busy.id);
    assert.deepEqual([fileCount, totalSize, (await admin.files(busy.id)).size], [30, 435, 30]);
    assert.ok(version > 1 && version <= 31);
    const statistics = (await admin.get(`${data}/datasets/${busy.id}/statistics`)).is(200, Statistics);
    assert.deepEqual(
      [statistics.totalFiles, statistics.totalSize, statistics.fileTypeDistribution],
      [30, 435, { txt: 30 }],
    );
  });
});
