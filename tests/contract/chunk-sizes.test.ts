// Sizes of chunks, files and uploads: as announced, smaller, larger, and none at all.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sortedStatuses } from './answer.ts';
import { sharedService } from './service.ts';
import { assertStored } from './stored-bytes.ts';

const shared = sharedService(import.meta.url);
const mebibyte = 1024 * 1024;

test('sizes of chunks and uploads', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const isStored = (path: string, wanted: Buffer) => assertStored(admin, id, path, wanted);

  await t.test('more files than announced: 400', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: 100 });
    const fields = { reqId, fileNo: 1, fileName: 'only.txt', totalChunkNum: 2, chunkNo: 1, bytes: 'x' };
    await admin.chunk(id, fields);
    (await admin.sendChunk(id, { ...fields, fileNo: 2, fileName: 'extra.txt' })).fails(400, 'INVALID_PARAMETER');
    assert.equal((await admin.chunk(id, { ...fields, chunkNo: 2 })).uploadCompleted, true);
    assert.ok(!(await admin.files(id)).has('extra.txt'));
  });

  await t.test('more bytes than announced: 400', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: 5 });
    const fields = { reqId, fileNo: 1, fileName: 'big.txt', totalChunkNum: 2, chunkNo: 1, bytes: '123' };
    await admin.chunk(id, fields);
    (await admin.sendChunk(id, { ...fields, chunkNo: 2, bytes: '456' })).fails(400, 'INVALID_PARAMETER');
    assert.ok(!(await admin.files(id)).has('big.txt'));
    assert.equal((await admin.chunk(id, { ...fields, chunkNo: 2, bytes: '45' })).fileCompleted, true);
    await isStored('big.txt', Buffer.from('12345'));
  });

  await t.test('more bytes than announced, in parallel: never more is stored', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 4, totalSize: 40 });
    const answers = await Promise.all(
      [1, 2, 3, 4].map((fileNo) =>
        admin.sendChunk(id, {
          reqId,
          fileNo,
          fileName: `p${fileNo}`,
          totalChunkNum: 1,
          chunkNo: 1,
          bytes: 'x'.repeat(20),
        }),
      ),
    );
    assert.deepEqual(sortedStatuses(answers), [200, 200, 400, 400]);
  });

  await t.test('fewer bytes than announced: complete, with a warning', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: 1000 });
    const fields = { reqId, fileNo: 1, fileName: 'short.txt', totalChunkNum: 1, chunkNo: 1, bytes: 'short' };
    const result = await admin.chunk(id, fields);
    assert.deepEqual([result.fileCompleted, result.uploadCompleted], [true, true]);
    assert.ok(result.warnings !== undefined && result.warnings.length > 0);
    const exact = await admin.newUpload(id, { totalFileNum: 1, totalSize: 5 });
    const without = await admin.chunk(id, { ...fields, reqId: exact, fileName: 'exact.txt' });
    assert.deepEqual(without.warnings ?? [], []);
  });

  await t.test('zero-byte files', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 2, totalSize: 0 });
    const fields = { reqId, fileNo: 1, fileName: 'empty.txt', totalChunkNum: 1, chunkNo: 1, bytes: '' };
    const result = await admin.chunk(id, { ...fields, checkSumHex: '00000000' });
    assert.deepEqual([result.fileCompleted, result.uploadCompleted, result.file?.fileSize], [true, false, 0]);
    assert.equal(result.file?.sha256, createHash('sha256').digest('hex'));
    const other = await admin.chunk(id, { ...fields, fileNo: 2, fileName: 'empty2.txt' });
    assert.equal(other.uploadCompleted, true);
    await isStored('empty.txt', Buffer.alloc(0));
  });

  await t.test('an empty last chunk', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: 4 });
    const fields = { reqId, fileNo: 1, fileName: 'tail.txt', totalChunkNum: 2, chunkNo: 1, bytes: 'head' };
    await admin.chunk(id, fields);
    assert.equal((await admin.chunk(id, { ...fields, chunkNo: 2, bytes: '' })).fileCompleted, true);
    await isStored('tail.txt', Buffer.from('head'));
  });

  await t.test('chunks of unequal sizes in any order', async () => {
    const pieces = ['a', 'bbbbb', '', 'ccc', 'dddddddd'];
    const whole = pieces.join('');
    for (const [index, order] of [
      [1, 2, 3, 4, 5],
      [5, 4, 3, 2, 1],
      [3, 1, 5, 2, 4],
    ].entries()) {
      const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: whole.length });
      const fileName = `odd-${index}.txt`;
      for (const chunkNo of order) {
        const bytes = pieces[chunkNo - 1] ?? '';
        await admin.chunk(id, { reqId, fileNo: 1, fileName, totalChunkNum: 5, chunkNo, bytes });
      }
      await isStored(fileName, Buffer.from(whole));
    }
  });

  await t.test('with an announced chunkSize, a chunk of another size is refused', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: 10, chunkSize: 4 });
    const fields = { reqId, fileNo: 1, fileName: 'sized.txt', totalChunkNum: 3, chunkNo: 1, bytes: 'abc' };
    (await admin.sendChunk(id, fields)).fails(400, 'INVALID_PARAMETER');
    (await admin.sendChunk(id, { ...fields, bytes: 'abcde' })).fails(400, 'INVALID_PARAMETER');
    for (const [chunkNo, bytes] of [
      [3, 'ij'],
      [1, 'abcd'],
      [2, 'efgh'],
    ] as const) {
      await admin.chunk(id, { ...fields, chunkNo, bytes });
    }
    await isStored('sized.txt', Buffer.from('abcdefghij'));
  });

  await t.test('a chunk over 64 MiB: 413', async () => {
    const size = 64 * mebibyte + 1;
    const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: size * 2 });
    const fields = { reqId, fileNo: 1, fileName: 'huge.bin', totalChunkNum: 2, chunkNo: 1, bytes: Buffer.alloc(size) };
    (await admin.sendChunk(id, fields)).fails(413, 'PAYLOAD_TOO_LARGE');
    const exact = await admin.chunk(id, { ...fields, bytes: Buffer.alloc(size - 1) });
    assert.equal(exact.receivedChunks, 1);
  });
});
