import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { toTar } from '../../../../tests/contract/archive-bytes.ts';
import { longTests } from '../../../../tests/support/long-tests.ts';
import type { Api } from '../../../../tests/support/api.ts';
import { startApp, startProcess } from '../../../../tests/support/server.ts';

type Status = {
  uploadCompleted: boolean;
  completedFiles: number;
  incomplete: { fileNo: number; receivedChunks: number; missingChunks: { from: number; to: number }[] }[];
  archives: { status: string; files: number; refused: number }[];
};
type Files = { content: { id: string; filePath: string; fileSize: number; status: string }[] };

async function newDataset(service: Api): Promise<string> {
  const { body } = await service.api<{ id: string }>('POST', '/data-management/datasets', { name: 'r', type: 'TEXT' });
  return `/data-management/datasets/${body.id}/files`;
}

function chunkForm(fields: Record<string, string | number>, bytes: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set('file', new Blob([bytes]), 'blob');
  return form;
}

function pattern(size: number, seed: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 31 + seed * 17 + (at >> 8)) & 0xff;
  return bytes;
}

test('a process that is killed has every acknowledged chunk and file, and the upload goes on', async (t) => {
  const service = await startProcess(t);
  const base = await newDataset(service);
  const chunks = Array.from({ length: 12 }, (_, index) => pattern(index === 11 ? 5_000 : 200_000, index));
  const total = Buffer.concat(chunks);
  const { body: reqId } = await service.api<string>('POST', `${base}/upload/pre-upload`, {
    totalFileNum: 41,
    totalSize: total.length + 40 * 100,
  });
  const sendPart = (chunkNo: number) =>
    service.api<{ fileCompleted: boolean }>(
      'POST',
      `${base}/upload/chunk`,
      chunkForm(
        { reqId, fileNo: 0, fileName: 'big.bin', totalChunkNum: 12, chunkNo },
        chunks[chunkNo - 1] ?? Buffer.alloc(0),
      ),
    );
  const sendSmall = (fileNo: number) =>
    service.api<{ file: { id: string } }>(
      'POST',
      `${base}/upload/chunk`,
      chunkForm({ reqId, fileNo, fileName: `small/${fileNo}.txt`, totalChunkNum: 1, chunkNo: 1 }, pattern(100, fileNo)),
    );
  for (const chunkNo of [3, 12, 7, 1, 8]) assert.equal((await sendPart(chunkNo)).status, 200);
  const acknowledged = new Set<number>();
  // Killed during calls: every acknowledged file must be there afterwards.
  const calls = Array.from({ length: 40 }, (_, index) =>
    sendSmall(index + 1).then(
      ({ status }) => status === 200 && acknowledged.add(index + 1),
      () => undefined,
    ),
  );
  await Promise.race([...calls, calls[0]]);
  await service.kill('SIGKILL');
  await Promise.all(calls);
  await service.restart();

  const { body: status } = await service.api<Status>('GET', `${base}/upload/${reqId}`);
  assert.deepEqual(status.incomplete, [
    {
      fileNo: 0,
      fileName: 'big.bin',
      totalChunkNum: 12,
      chunkSize: 200_000,
      receivedChunks: 5,
      receivedBytes: 805_000,
      missingChunks: [
        { from: 2, to: 2 },
        { from: 4, to: 6 },
        { from: 9, to: 11 },
      ],
    },
  ]);
  const { body: listed } = await service.api<Files>('GET', `${base}?size=1000`);
  const paths = new Set(listed.content.map((file) => file.filePath));
  for (const fileNo of acknowledged) assert.ok(paths.has(`small/${fileNo}.txt`), `file ${fileNo} was acknowledged`);
  assert.ok(!paths.has('big.bin'), 'a half file is listed');

  for (let fileNo = 1; fileNo <= 40; fileNo++) assert.equal((await sendSmall(fileNo)).status, 200);
  let completed = false;
  for (const chunkNo of [2, 4, 5, 6, 9, 10, 11]) completed = (await sendPart(chunkNo)).body.fileCompleted;
  assert.ok(completed);
  assert.equal((await service.api<Status>('GET', `${base}/upload/${reqId}`)).body.uploadCompleted, true);
  const { body: all } = await service.api<Files>('GET', `${base}?size=1000`);
  assert.equal(all.content.length, 41);
  const big = all.content.find((file) => file.filePath === 'big.bin');
  const { body: bytes } = await service.api<Buffer>('GET', `${base}/${big?.id ?? ''}/download`);
  assert.ok(total.equals(bytes));
});

test('an archive that was being unpacked when the service ended is unpacked after the next start', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-restarts-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const first = await startApp(t, { dataDir });
  const base = await newDataset(first);
  const reqId = await sendArchive(first, base, 1_500);
  await first.close();
  await isUnpacked(await startApp(t, { dataDir }), base, reqId, 1_500);
});

longTests(() => {
  test('an archive that was being unpacked when the process was killed is unpacked after the next start', async (t) => {
    const service = await startProcess(t);
    const base = await newDataset(service);
    const reqId = await sendArchive(service, base, 6_000);
    await service.restart();
    await service.restart();
    await isUnpacked(service, base, reqId, 6_000);
  });
});

/** Sends an archive of small files, whose unpacking then begins. */
async function sendArchive(service: Api, base: string, count: number): Promise<string> {
  const entries = Array.from({ length: count }, (_, index) => ({
    name: `d${index % 10}/${index}.txt`,
    content: `${index}`,
  }));
  const archive = gzipSync(toTar(entries));
  const announced = { hasArchive: true, totalFileNum: 1, totalSize: archive.length };
  const { body: reqId } = await service.api<string>('POST', `${base}/upload/pre-upload`, announced);
  const form = chunkForm(
    { reqId, fileNo: 1, fileName: 'in/a.tgz', totalChunkNum: 1, chunkNo: 1 },
    Buffer.from(archive),
  );
  assert.equal((await service.api('POST', `${base}/upload/chunk`, form)).status, 200);
  return reqId;
}

/** Waits until the archive is unpacked with all its entries. */
async function isUnpacked(service: Api, base: string, reqId: string, count: number): Promise<void> {
  for (;;) {
    const { body } = await service.api<Status>('GET', `${base}/upload/${reqId}`);
    if (body.archives[0]?.status === 'PROCESSING') {
      await setTimeout(20);
      continue;
    }
    assert.deepEqual(
      body.archives.map(({ status, files, refused }) => [status, files, refused]),
      [['UNPACKED', count, 0]],
    );
    break;
  }
  const { body } = await service.api<{ totalElements: number } & Files>('GET', `${base}?size=1&prefix=in`);
  assert.equal(body.totalElements, count);
}
