import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import type { RunningApp } from '../../../tests/support/server.ts';
import type { FileGroupAnswer } from './schemas/file-groups.ts';
import type { File as StoredFile } from './schemas/files.ts';
import type { UploadStatus } from './schemas/uploads.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Sent = { fileNo?: number; fileName?: string; checkSumHex?: string; content: string };
type Setting = {
  app: RunningApp;
  path: string;
  announce(announcement: object): Promise<string>;
  send(reqId: string, files: readonly Sent[]): Promise<{ status: number; body: FileGroupAnswer }>;
  status(reqId: string): Promise<UploadStatus>;
  list(): Promise<StoredFile[]>;
};

async function openSetting(app: RunningApp): Promise<Setting> {
  const { body: dataset } = await app.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Many',
    type: 'TEXT',
  });
  const path = `/data-management/datasets/${dataset.id}`;
  return {
    app,
    path,
    async announce(announcement) {
      const announced = { totalFileNum: 100, totalSize: 1_000_000, chunkSize: 100_000, ...announcement };
      const { status, body } = await app.api<string>('POST', `${path}/files/upload/pre-upload`, announced);
      assert.equal(status, 200);
      return body;
    },
    send: (reqId, files) => app.api('POST', `${path}/files/upload/${reqId}/files`, toForm(files)),
    status: async (reqId) => (await app.api<UploadStatus>('GET', `${path}/files/upload/${reqId}`)).body,
    list: async () => (await app.api<{ content: StoredFile[] }>('GET', `${path}/files?size=1000`)).body.content,
  };
}

function toForm(files: readonly Sent[]): FormData {
  const form = new FormData();
  for (const { content, ...fields } of files) {
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    form.append('file', new Blob([content]), 'bytes');
  }
  return form;
}

const hexOf = (content: string): string => crc32(content).toString(16).padStart(8, '0');

const named = (fileNo: number, content = `content ${fileNo}`): Sent => ({
  fileNo,
  fileName: `folder/${fileNo}.txt`,
  checkSumHex: hexOf(content),
  content,
});

shared.forAnyDatabase('many files come in by one call, as few versions, and may be sent again', async (_t, app) => {
  const { path, announce, send, status, list } = await openSetting(app);
  const files = Array.from({ length: 60 }, (_, index) => named(index, index === 3 ? '' : `content ${index}`));
  const reqId = await announce({ totalFileNum: 61, prefix: 'in' });
  const first = await send(reqId, files);
  assert.equal(first.status, 200);
  assert.deepEqual(
    first.body.files.map(({ fileNo, fileCompleted, file, error }) => [fileNo, fileCompleted, file?.filePath, error]),
    files.map((_, index) => [index, true, `in/folder/${index}.txt`, undefined]),
  );
  assert.equal(first.body.uploadCompleted, false);
  assert.equal((await list()).length, 60);
  const { body: dataset } = await app.api<{ version: number }>('GET', path);
  assert.ok(dataset.version < 10, `${dataset.version} versions for one call`);
  assert.deepEqual((await status(reqId)).completed, [{ from: 0, to: 59 }]);

  const again = await send(reqId, files.slice(10, 20));
  assert.ok(again.body.files.every(({ fileCompleted, error }) => fileCompleted && error === undefined));
  assert.equal((await app.api<{ version: number }>('GET', path)).body.version, dataset.version, 'nothing has changed');

  const last = await send(reqId, [named(60)]);
  assert.equal(last.body.uploadCompleted, true);
  assert.match(last.body.warnings?.[0] ?? '', /were announced/);
});

shared.forAnyDatabase('a file that is refused is named with its reason, and the others come in', async (_t, app) => {
  const { announce, send, status, list } = await openSetting(app);
  await send(await announce({}), [named(0)]);
  const reqId = await announce({ onConflict: 'ERROR', totalSize: 1_000 });
  const { status: code, body } = await send(reqId, [
    named(1),
    named(0),
    { ...named(2), fileName: '../up.txt' },
    { ...named(3), checkSumHex: hexOf('something else') },
    named(4, 'x'.repeat(100_001)),
    named(5, 'y'.repeat(1_000)),
    { ...named(6), checkSumHex: '12' },
    named(7),
  ]);
  assert.equal(code, 200);
  assert.deepEqual(
    body.files.map(({ fileNo, fileCompleted, error }) => [fileNo, fileCompleted, error?.error]),
    [
      [1, true, undefined],
      [0, false, 'FILE_ALREADY_EXISTS'],
      [2, false, 'INVALID_PARAMETER'],
      [3, false, 'CHECKSUM_MISMATCH'],
      [4, false, 'PAYLOAD_TOO_LARGE'],
      [5, false, 'INVALID_PARAMETER'],
      [6, false, 'INVALID_PARAMETER'],
      [7, true, undefined],
    ],
  );
  assert.deepEqual(
    (await list()).map(({ filePath }) => filePath),
    ['folder/0.txt', 'folder/1.txt', 'folder/7.txt'],
  );
  assert.equal((await status(reqId)).completedFiles, 2);
  const other = await send(reqId, [named(1, 'other bytes')]);
  assert.equal(other.body.files[0]?.error?.error, 'UPLOAD_CONFLICT', 'the number belongs to other bytes');
});

shared.forAnyDatabase('a bad form is refused as a whole', async (_t, app) => {
  const { path, announce, send, list } = await openSetting(app);
  const reqId = await announce({});
  const codeOf = async (files: readonly Sent[], id = reqId): Promise<string> => {
    const { status, body } = await send(id, files);
    const { error, message } = body as unknown as { error: string; message: string };
    return `${status} ${error} ${message}`;
  };
  assert.match(await codeOf([{ fileName: 'a.txt', content: 'a' }]), /^400 INVALID_PARAMETER fileNo/);
  assert.match(await codeOf([{ fileNo: -1, fileName: 'a.txt', content: 'a' }]), /^400 INVALID_PARAMETER fileNo/);
  assert.match(await codeOf([]), /^400 /);
  assert.match(await codeOf([named(0)], 'unknown'), /^404 UPLOAD_NOT_FOUND/);
  const broken = await app.api('POST', `${path}/files/upload/${reqId}/files`, Buffer.from('--b\r\nbroken'), {
    'content-type': 'multipart/form-data; boundary=b',
  });
  assert.equal(broken.status, 400);
  assert.deepEqual(await list(), []);
});
