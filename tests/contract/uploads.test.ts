import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { sortedStatuses } from './answer.ts';
import { chunkFieldOrder, chunkParts, toForm, type ChunkFieldName } from './form-data.ts';
import { sized } from '../support/long-tests.ts';
import { startApp } from '../support/server.ts';
import { createClient } from './client.ts';
import { closeIdleConnections } from './http-exchange.ts';
import { sharedService } from './service.ts';
import { ChunkResult, Id, Statistics } from './shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';
const mebibyte = 1024 * 1024;

/** Splits content into chunks of one size, the last one shorter. */
function cut(content: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let from = 0; from < content.length; from += size) chunks.push(content.subarray(from, from + size));
  return chunks;
}

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
  const isStored = async (path: string, wanted: Buffer) => {
    const file = (await admin.files(id)).get(path) ?? assert.fail(`${path} isn't listed`);
    assert.ok((await admin.download(id, file.id)).bytes.equals(wanted), `${path} has other bytes`);
    const sum = createHash('sha256').update(wanted).digest('hex');
    assert.ok(file.sha256 === null || file.sha256 === sum, `${path} has another sha256`);
  };
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

  await t.test('a chunk over 64 MiB: 413', async () => {
    const size = 64 * mebibyte + 1;
    const reqId = await admin.newUpload(id, { totalFileNum: 1, totalSize: size * 2 });
    const fields = { reqId, fileNo: 1, fileName: 'huge.bin', totalChunkNum: 2, chunkNo: 1, bytes: Buffer.alloc(size) };
    (await admin.sendChunk(id, fields)).fails(413, 'PAYLOAD_TOO_LARGE');
    const exact = await admin.chunk(id, { ...fields, bytes: Buffer.alloc(size - 1) });
    assert.equal(exact.receivedChunks, 1);
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
