// An archive as the body of one call.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { toTar, toZip, sampleEntries, samplePaths } from './archive-bytes.ts';
import { sharedService } from './service.ts';
import { StreamResult } from './shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';

test('an archive as the body of one call', async (t) => {
  const { admin } = await shared.open();
  const stream = (id: string, query: string, body: Buffer | AsyncIterable<Buffer>) =>
    admin.call('POST', `${data}/datasets/${id}/files/upload/stream${query}`, {
      body,
      contentType: 'application/octet-stream',
    });

  for (const [format, archive] of [
    ['tar', toTar(sampleEntries)],
    ['zip', toZip(sampleEntries.map((entry) => ({ ...entry, deflate: true })))],
  ] as const) {
    await t.test(`format=${format}`, async () => {
      const { id } = await admin.newDataset();
      const result = (await stream(id, `?format=${format}&prefix=p/q/`, archive)).is(201, StreamResult);
      assert.deepEqual([result.files, result.bytes], [4, 15]);
      const files = await admin.files(id);
      assert.deepEqual([...files.keys()].sort(), samplePaths.map((path) => `p/q/${path}`).sort());
      const file = files.get('p/q/土壤/高.txt');
      assert.equal((await admin.download(id, file?.id ?? '')).bytes.toString(), '高');
    });

    await t.test(`format=${format} in small pieces`, async () => {
      const { id } = await admin.newDataset();
      async function* pieces(): AsyncGenerator<Buffer> {
        for (let from = 0; from < archive.length; from += 100) yield archive.subarray(from, from + 100);
      }
      assert.equal((await stream(id, `?format=${format}`, pieces())).is(201, StreamResult).files, 4);
    });
  }

  await t.test('refused entries are counted and named', async () => {
    const { id } = await admin.newDataset();
    const tar = toTar([
      { name: 'good.txt', content: 'good' },
      { name: '../bad.txt', content: 'bad' },
      { name: 'link', type: '2', linkName: 'good.txt' },
    ]);
    const answer = await stream(id, '?format=tar', tar);
    const { files, failed } = answer.is(201, StreamResult);
    assert.equal(files, 1);
    const count = Array.isArray(failed) ? failed.length : Number(Object(failed)['count'] ?? failed);
    assert.equal(count, 2, answer.bytes.toString());
    assert.ok(answer.bytes.includes('../bad.txt') && answer.bytes.includes('link'));
  });

  await t.test('thousands of small files', async () => {
    const { id } = await admin.newDataset();
    const content = randomBytes(100);
    const tar = toTar(Array.from({ length: 3000 }, (_, index) => ({ name: `f/${index % 50}/${index}.bin`, content })));
    const { files, bytes } = (await stream(id, '?format=tar', tar)).is(201, StreamResult);
    assert.deepEqual([files, bytes], [3000, 300_000]);
    assert.equal((await admin.dataset(id)).fileCount, 3000);
  });

  await t.test('format is required and known', async () => {
    const { id } = await admin.newDataset();
    for (const query of ['', '?format=rar', '?format=', '?format=TAR7']) {
      (await stream(id, query, toTar([]))).fails(400, 'INVALID_PARAMETER', 'format');
    }
    (await stream(id, '?format=tar&prefix=../up', toTar([]))).fails(400, 'INVALID_PARAMETER', 'prefix');
    assert.equal((await stream(id, '?format=tar', toTar([]))).is(201, StreamResult).files, 0);
  });

  await t.test('a body that is no archive, or half of one', async () => {
    const { id } = await admin.newDataset();
    (await stream(id, '?format=tar', Buffer.from('x'.repeat(2000)))).fails(400, 'INVALID_PARAMETER');
    (await stream(id, '?format=zip', Buffer.from('x'.repeat(2000)))).fails(400, 'INVALID_PARAMETER');
    const tar = toTar([{ name: 'a.txt', content: 'a'.repeat(5000) }]);
    (await stream(id, '?format=tar', tar.subarray(0, 3000))).fails(400, 'INVALID_PARAMETER');
    assert.ok(!(await admin.files(id)).has('a.txt'), 'no half-file is ever listed');
  });
});
