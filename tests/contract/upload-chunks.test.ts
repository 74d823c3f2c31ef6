// Chunks of a file in any order, repeated, at the same instant, and with every wrong field.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { sortedStatuses } from './answer.ts';
import { chunkFieldOrder, chunkParts, toForm, type ChunkFieldName } from './form-data.ts';
import { sized } from '../support/long-tests.ts';
import { sharedService } from './service.ts';
import { ChunkResult } from './shapes.ts';
import { assertStored } from './stored-bytes.ts';

const shared = sharedService(import.meta.url);
const data = '/data-management';

/** Splits content into chunks of one size, the last one shorter. */
function cut(content: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let from = 0; from < content.length; from += size) chunks.push(content.subarray(from, from + size));
  return chunks;
}

test('chunks', async (t) => {
  const { admin, editor } = await shared.open();
  const { id } = await admin.newDataset();
  const content = randomBytes(300_001);
  const parts = cut(content, 65_536);
  const fieldsOf = (reqId: string, fileName: string, chunkNo: number) => ({
    reqId,
    fileNo: 1,
    fileName,
    totalChunkNum: parts.length,
    chunkNo,
    bytes: parts[chunkNo - 1] ?? Buffer.alloc(0),
  });
  const announce = (totalSize = content.length, more: Record<string, unknown> = {}) =>
    admin.newUpload(id, { totalFileNum: 1, totalSize, ...more });
  const isStored = (path: string, wanted: Buffer) => assertStored(admin, id, path, wanted);
  const orders: Record<string, number[]> = {
    'in order': [1, 2, 3, 4, 5],
    'the last first': [5, 4, 3, 2, 1],
    shuffled: [3, 5, 1, 4, 2],
    'repeated while under way': [2, 2, 1, 2, 5, 5, 4, 3],
  };
  for (const announced of [undefined, 65_536]) {
    for (const [how, order] of Object.entries(orders)) {
      await t.test(`${how}, chunkSize ${announced ?? 'not announced'}`, async () => {
        const path = `${how.replaceAll(' ', '-')}-${announced ?? 'none'}.bin`;
        const reqId = await announce(content.length, announced === undefined ? {} : { chunkSize: announced });
        const seen = new Set<number>();
        for (const chunkNo of order) {
          seen.add(chunkNo);
          const result = await admin.chunk(id, fieldsOf(reqId, path, chunkNo));
          const done = seen.size === parts.length;
          assert.deepEqual(
            [result.reqId, result.fileNo, result.fileName, result.chunkNo, result.totalChunkNum],
            [reqId, 1, path, chunkNo, 5],
          );
          assert.deepEqual(
            [result.receivedChunks, result.fileCompleted, result.uploadCompleted],
            [seen.size, done, done],
          );
          assert.equal(result.file?.filePath, done ? path : undefined);
          assert.equal((await admin.files(id)).has(path), done, 'no half-file is listed');
        }
        await isStored(path, content);
      });
    }
  }

  await t.test('in parallel: all chunks at the same instant', async () => {
    const reqId = await announce();
    const results = await Promise.all(
      parts.map((_, index) => admin.chunk(id, fieldsOf(reqId, 'parallel.bin', index + 1))),
    );
    assert.ok(results.some(({ fileCompleted }) => fileCompleted));
    assert.ok(results.some(({ file }) => file !== undefined));
    await isStored('parallel.bin', content);
  });

  await t.test('the last two chunks at the same instant, many times', async () => {
    await Promise.all(
      Array.from({ length: sized(5, 20) }, async (_, index) => {
        const path = `race-${index}.bin`;
        const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: 10 });
        const chunk = (chunkNo: number) =>
          admin.chunk(id, { reqId, fileNo: 1, fileName: path, totalChunkNum: 2, chunkNo, bytes: `half${chunkNo}` });
        const results = await Promise.all([chunk(2), chunk(1)]);
        assert.ok(results.some(({ fileCompleted, uploadCompleted }) => fileCompleted && uploadCompleted));
        await isStored(path, Buffer.from('half1half2'));
      }),
    );
  });

  await t.test('16 writers of the same chunk', async () => {
    const reqId = await announce();
    const before = await admin.dataset(id);
    await Promise.all(
      parts.flatMap((_, index) =>
        Array.from({ length: 16 }, () => admin.chunk(id, fieldsOf(reqId, 'sixteen.bin', index + 1))),
      ),
    );
    await isStored('sixteen.bin', content);
    const after = await admin.dataset(id);
    assert.deepEqual([after.version, after.fileCount], [before.version + 1, before.fileCount + 1]);
  });

  await t.test('sending one again is harmless, even after completion', async () => {
    const reqId = await announce();
    for (const chunkNo of [1, 2, 3, 4, 5]) await admin.chunk(id, fieldsOf(reqId, 'again.bin', chunkNo));
    const before = await admin.dataset(id);
    const again = await admin.chunk(id, fieldsOf(reqId, 'again.bin', 3));
    assert.deepEqual([again.receivedChunks, again.fileCompleted, again.uploadCompleted], [5, true, true]);
    assert.equal((await admin.dataset(id)).version, before.version);
    await isStored('again.bin', content);
  });

  await t.test('other bytes for a chunk already received: 409', async () => {
    const reqId = await announce();
    await admin.chunk(id, fieldsOf(reqId, 'conflict.bin', 1));
    const other = Buffer.from(parts[0] ?? []);
    other[5] = (other[5] ?? 0) ^ 1;
    const changed = { ...fieldsOf(reqId, 'conflict.bin', 1), bytes: other };
    (await admin.sendChunk(id, changed)).fails(409, 'UPLOAD_CONFLICT');
    (await admin.sendChunk(id, { ...changed, bytes: other.subarray(1) })).fails(409, 'UPLOAD_CONFLICT');
    for (const chunkNo of [2, 3, 4, 5]) await admin.chunk(id, fieldsOf(reqId, 'conflict.bin', chunkNo));
    (await admin.sendChunk(id, changed)).fails(409, 'UPLOAD_CONFLICT');
    await isStored('conflict.bin', content);
  });

  await t.test('two writers with different bytes: one wins, the other hears so', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: 8 });
    const writers = ['aaaa', 'bbbb', 'cccc', 'dddd'];
    const answers = await Promise.all(
      writers.map((bytes) =>
        admin.sendChunk(id, { reqId, fileNo: 1, fileName: 'duel.txt', totalChunkNum: 2, chunkNo: 1, bytes }),
      ),
    );
    assert.deepEqual(sortedStatuses(answers), [200, 409, 409, 409]);
    const winner = writers[answers.findIndex(({ status }) => status === 200)] ?? '';
    await admin.chunk(id, { reqId, fileNo: 1, fileName: 'duel.txt', totalChunkNum: 2, chunkNo: 2, bytes: 'last' });
    await isStored('duel.txt', Buffer.from(`${winner}last`));
  });

  await t.test('a changed totalChunkNum: 409', async () => {
    const reqId = await announce();
    await admin.chunk(id, fieldsOf(reqId, 'total.bin', 1));
    for (const totalChunkNum of [4, 6]) {
      (await admin.sendChunk(id, { ...fieldsOf(reqId, 'total.bin', 2), totalChunkNum })).fails(409, 'UPLOAD_CONFLICT');
    }
  });

  await t.test('the same number with another name: 409', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 2, totalSize: content.length * 2 });
    await admin.chunk(id, fieldsOf(reqId, 'number.bin', 1));
    (await admin.sendChunk(id, fieldsOf(reqId, 'other.bin', 2))).fails(409, 'UPLOAD_CONFLICT');
  });

  await t.test('fileNo is any integer from 0', async () => {
    const reqId = await admin.newUpload(id, { totalFileNum: 3, totalSize: 3 });
    for (const fileNo of [0, 7, 2_000_000_000]) {
      const result = await admin.chunk(id, {
        reqId,
        fileNo,
        fileName: `no-${fileNo}`,
        totalChunkNum: 1,
        chunkNo: 1,
        bytes: 'x',
      });
      assert.deepEqual([result.fileNo, result.uploadCompleted], [fileNo, fileNo === 2_000_000_000]);
    }
  });

  await t.test('form fields in any order, the file first included', async () => {
    const orders: ChunkFieldName[][] = [
      ['file', 'reqId', 'fileNo', 'fileName', 'totalChunkNum', 'chunkNo', 'checkSumHex'],
      ['reqId', 'file', 'checkSumHex', 'chunkNo', 'totalChunkNum', 'fileName', 'fileNo'],
      [...chunkFieldOrder].reverse(),
    ];
    for (const [index, order] of orders.entries()) {
      const path = `order-${index}.bin`;
      const reqId = await announce();
      for (const chunkNo of [2, 1, 3, 5, 4]) {
        const fields = fieldsOf(reqId, path, chunkNo);
        const checkSumHex = crc32(fields.bytes).toString(16).padStart(8, '0');
        (await admin.sendChunk(id, { ...fields, checkSumHex }, order)).is(200, ChunkResult);
      }
      await isStored(path, content);
    }
  });

  await t.test('each form field is required but the checksum; each is checked', async () => {
    const reqId = await announce();
    const fields = fieldsOf(reqId, 'form.bin', 1);
    for (const missing of chunkFieldOrder) {
      if (missing === 'checkSumHex') continue;
      const order = chunkFieldOrder.filter((name) => name !== missing);
      (await admin.sendChunk(id, fields, order)).fails(400, 'INVALID_PARAMETER', missing);
    }
    for (const [name, values] of Object.entries({
      fileNo: ['x', '-1', '1.5', '', '1e3', '99999999999999999999'],
      totalChunkNum: ['0', '-1', 'x', '', '100001'],
      chunkNo: ['0', '-1', 'x', '', '6', '1.0'],
      fileName: ['', '/abs', '../up', 'a//b', 'a\\b', 'x'.repeat(256)],
      checkSumHex: ['', 'abc', 'g'.repeat(8), 'a'.repeat(31), 'a'.repeat(128), '0x123456'],
    })) {
      for (const value of values)
        (await admin.sendChunk(id, { ...fields, [name]: value })).fails(400, 'INVALID_PARAMETER', name);
    }
    for (const wrong of ['', 'a.b', 'x'.repeat(65)]) {
      (await admin.sendChunk(id, { ...fields, reqId: wrong })).fails(400, 'INVALID_PARAMETER', 'reqId');
    }
    (await admin.sendChunk(id, { ...fields, reqId: 'unknown' })).fails(404, 'UPLOAD_NOT_FOUND');
  });

  await t.test('checksums of four kinds, in either case', async () => {
    const bytes = 'loam and clay';
    const sums = {
      'CRC-32': crc32(bytes).toString(16).padStart(8, '0'),
      MD5: createHash('md5').update(bytes).digest('hex'),
      'SHA-1': createHash('sha1').update(bytes).digest('hex'),
      'SHA-256': createHash('sha256').update(bytes).digest('hex'),
    };
    for (const [kind, sum] of Object.entries(sums)) {
      const fields = { fileNo: 1, fileName: `${kind}.txt`, totalChunkNum: 1, chunkNo: 1, bytes };
      const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: bytes.length });
      const wrong = (sum.startsWith('0') ? '1' : '0') + sum.slice(1);
      (await admin.sendChunk(id, { ...fields, reqId, checkSumHex: wrong })).fails(400, 'CHECKSUM_MISMATCH');
      assert.ok(!(await admin.files(id)).has(`${kind}.txt`), 'the chunk was kept');
      await admin.chunk(id, { ...fields, reqId, checkSumHex: sum.toUpperCase() });
      const again = await admin.newUpload(id, { totalFileNum: 1, totalSize: bytes.length });
      assert.equal((await admin.chunk(id, { ...fields, reqId: again, checkSumHex: sum })).fileCompleted, true);
      await isStored(`${kind}.txt`, Buffer.from(bytes));
    }
  });

  await t.test('a chunk with a wrong checksum is not kept and doesn’t count', async () => {
    const reqId = await announce();
    await admin.chunk(id, fieldsOf(reqId, 'kept.bin', 1));
    const wrong = { ...fieldsOf(reqId, 'kept.bin', 2), checkSumHex: '00000000' };
    (await admin.sendChunk(id, wrong)).fails(400, 'CHECKSUM_MISMATCH');
    assert.equal((await admin.chunk(id, fieldsOf(reqId, 'kept.bin', 3))).receivedChunks, 2);
  });

  await t.test('another dataset’s reqId: 404', async () => {
    const other = await admin.newDataset();
    const reqId = await announce();
    (await admin.sendChunk(other.id, fieldsOf(reqId, 'x.bin', 1))).fails(404, 'UPLOAD_NOT_FOUND');
    (await admin.get(`${data}/datasets/${other.id}/files/upload/${reqId}`)).fails(404, 'UPLOAD_NOT_FOUND');
    (await admin.delete(`${data}/datasets/${other.id}/files/upload/${reqId}`)).fails(404, 'UPLOAD_NOT_FOUND');
  });

  await t.test('prefix goes before the file’s own relative path', async () => {
    for (const [prefix, path] of [
      ['deep/er', 'deep/er/in/side.txt'],
      ['slash/', 'slash/in/side.txt'],
      ['/', 'in/side.txt'],
    ] as const) {
      const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: 1, prefix });
      const fields = { reqId, fileNo: 1, fileName: 'in/side.txt', totalChunkNum: 1, chunkNo: 1, bytes: 'x' };
      const { file } = await admin.chunk(id, fields);
      assert.deepEqual([file?.filePath, file?.fileName, file?.originalName], [path, 'side.txt', 'in/side.txt']);
    }
  });

  await t.test('a body that is cut off leaves nothing', async () => {
    const reqId = await announce();
    const { contentType, body } = toForm(chunkParts(fieldsOf(reqId, 'torn.bin', 1)));
    for (const length of [body.length - 2, body.length - 40, 400, 10, 0]) {
      const answer = await admin.call('POST', `${data}/datasets/${id}/files/upload/chunk`, {
        body: body.subarray(0, length),
        contentType,
      });
      // At the first length, only the two closing hyphens or the line break after them are missing.
      if (length === body.length - 2 && answer.status === 200) continue;
      answer.fails(400, 'INVALID_PARAMETER');
    }
    for (const chunkNo of [1, 2, 3, 4, 5]) await admin.chunk(id, fieldsOf(reqId, 'torn.bin', chunkNo));
    await isStored('torn.bin', content);
  });

  await t.test('who sends the chunk may be someone else; who sent it is the uploader', async () => {
    const reqId = await announce();
    for (const chunkNo of [1, 2, 3, 4]) await admin.chunk(id, fieldsOf(reqId, 'shared.bin', chunkNo));
    const { file } = await editor.chunk(id, fieldsOf(reqId, 'shared.bin', 5));
    assert.ok(['admin', 'erin'].includes(file?.uploadedBy ?? ''));
  });
});
