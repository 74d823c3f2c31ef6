import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createClient, type Client } from '../contract/client.ts';
import { closeIdleConnections } from '../contract/http-exchange.ts';
import { Statistics } from '../contract/shapes.ts';
import { startProcess } from '../support/server.ts';

const data = '/data-management';
const chunkCount = 5;
const chunkBytes = 40_000;

test('a process that is killed and started again', async (t) => {
  t.after(closeIdleConnections);
  const process = await startProcess(t);
  const newClient = (): Client =>
    createClient({
      url: process.url,
      credential: { Authorization: `Bearer ${process.token}` },
      dataDirectory: process.dataDir,
    });
  let client = newClient();
  const { id } = await client.newDataset();

  /** Everything acknowledged: chunks by file number, files by path. */
  const chunks = new Map<number, Set<number>>();
  const files = new Map<string, string>();
  const contents = Array.from({ length: 12 }, () => randomBytes(chunkBytes * chunkCount - 7));
  const reqId = await client.newUpload(id, {
    totalFileNum: contents.length,
    totalSize: contents.length * chunkBytes * chunkCount,
  });
  const fieldsOf = (fileNo: number, chunkNo: number) => ({
    reqId,
    fileNo,
    fileName: `large-${fileNo}.bin`,
    totalChunkNum: chunkCount,
    chunkNo,
    bytes: (contents[fileNo] ?? Buffer.alloc(0)).subarray((chunkNo - 1) * chunkBytes, chunkNo * chunkBytes),
  });
  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

  for (let round = 0; round < 3; round += 1) {
    await t.test(`crash ${round + 1}`, async () => {
      const sending = client;
      const sender = { isDead: false };
      let acknowledged = 0;
      const enough = 12 + round * 7;
      let kill = (): void => {};
      const killed = new Promise<void>((resolve) => (kill = resolve));
      const note = (): void => {
        acknowledged += 1;
        if (acknowledged === enough) kill();
      };
      const sendChunks = async (fileNo: number): Promise<void> => {
        const order = Array.from({ length: chunkCount }, (_, index) => ((index * 3 + fileNo) % chunkCount) + 1);
        for (const chunkNo of order) {
          if (sender.isDead || chunks.get(fileNo)?.has(chunkNo)) continue;
          const result = await sending.chunk(id, fieldsOf(fileNo, chunkNo));
          chunks.set(fileNo, (chunks.get(fileNo) ?? new Set()).add(chunkNo));
          if (result.fileCompleted) files.set(`large-${fileNo}.bin`, sha256(contents[fileNo] ?? Buffer.alloc(0)));
          note();
        }
      };
      const sendSmall = async (writer: number): Promise<void> => {
        for (let index = 0; index < 40 && !sender.isDead; index += 1) {
          const path = `small/${round}-${writer}-${index}.txt`;
          const content = randomBytes(100 + index);
          await sending.putFiles(id, { [path]: content });
          files.set(path, sha256(content));
          note();
        }
      };
      // A call cut off by the crash has no response; any other error is a failure.
      const isCut = (error: NodeJS.ErrnoException): void => {
        if (!sender.isDead) throw error;
      };
      const work = Promise.all([
        ...[0, 1, 2, 3].map((offset) => sendChunks(round * 4 + offset).catch(isCut)),
        ...[0, 1].map((writer) => sendSmall(writer).catch(isCut)),
      ]);
      await Promise.race([killed, work]);
      sender.isDead = true;
      await process.kill('SIGKILL');
      await work;
      await process.restart();
      client = newClient();

      const listed = await client.files(id);
      for (const [path, sum] of files) {
        const file = listed.get(path) ?? assert.fail(`${path} was acknowledged and is lost`);
        assert.equal(sha256((await client.download(id, file.id)).bytes), sum, `${path} has other bytes`);
      }
      for (const file of listed.values()) {
        assert.equal(file.status, 'COMPLETED', file.filePath);
        assert.equal(
          (await client.download(id, file.id)).bytes.length,
          file.fileSize,
          `${file.filePath} is half a file`,
        );
      }
      const { fileCount, totalSize } = await client.dataset(id);
      const statistics = (await client.get(`${data}/datasets/${id}/statistics`)).is(200, Statistics);
      const size = [...listed.values()].reduce((sum, { fileSize }) => sum + fileSize, 0);
      assert.deepEqual([fileCount, totalSize, statistics.totalFiles], [listed.size, size, listed.size]);
    });
  }

  await t.test('acknowledged chunks need not be sent again; the upload ends', async () => {
    let isComplete = false;
    for (const fileNo of contents.keys()) {
      for (let chunkNo = 1; chunkNo <= chunkCount; chunkNo += 1) {
        if (chunks.get(fileNo)?.has(chunkNo)) continue;
        isComplete = (await client.chunk(id, fieldsOf(fileNo, chunkNo))).uploadCompleted;
      }
    }
    assert.ok(isComplete, 'the upload is complete without a chunk sent twice');
    const listed = await client.files(id);
    for (const [fileNo, content] of contents.entries()) {
      const file = listed.get(`large-${fileNo}.bin`) ?? assert.fail(`large-${fileNo}.bin is missing`);
      assert.ok((await client.download(id, file.id)).bytes.equals(content), `large-${fileNo}.bin has other bytes`);
    }
  });

  await t.test('SIGTERM drains and ends with 0', async () => {
    assert.deepEqual(await process.kill('SIGTERM'), { code: 0, signal: null });
  });
});
