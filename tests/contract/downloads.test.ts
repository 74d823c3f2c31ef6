import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { toZip } from './archive-bytes.ts';
import { sharedService } from './service.ts';
import { readZip } from './zip-reading.ts';
import type { Answer } from './answer.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';
type Headers = Readonly<Record<string, string>>;

/** Checks what every ranged download must support; `get` requests the content again with other headers. */
async function checkRanges(content: Buffer, get: (headers?: Headers) => Promise<Answer>): Promise<void> {
  const size = content.length;
  const whole = await get();
  assert.equal(whole.status, 200);
  assert.ok(whole.bytes.equals(content));
  assert.equal(whole.header('Content-Length'), String(size));
  assert.equal(whole.header('Accept-Ranges'), 'bytes');
  const etag = whole.header('ETag');
  assert.match(etag, /^"[^"]+"$/, 'a strong ETag');

  const ranges: [range: string, from: number, to: number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=0-', 0, size - 1],
    ['bytes=5-9', 5, 9],
    [`bytes=${size - 1}-`, size - 1, size - 1],
    [`bytes=10-${size + 100}`, 10, size - 1],
    ['bytes=-1', size - 1, size - 1],
    ['bytes=-7', size - 7, size - 1],
    [`bytes=-${size * 2}`, 0, size - 1],
  ];
  for (const [range, from, to] of ranges) {
    const answer = await get({ Range: range });
    assert.equal(answer.status, 206, range);
    assert.equal(answer.header('Content-Range'), `bytes ${from}-${to}/${size}`, range);
    assert.equal(answer.header('Content-Length'), String(to - from + 1), range);
    assert.equal(answer.header('ETag'), etag);
    assert.ok(answer.bytes.equals(content.subarray(from, to + 1)), `${range}: other bytes`);
  }
  for (const range of [`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, 'bytes=-0', 'bytes=99999999999999999999-']) {
    const answer = await get({ Range: range });
    answer.fails(416, 'RANGE_NOT_SATISFIABLE');
    assert.equal(answer.header('Content-Range'), `bytes */${size}`, range);
  }
  // Invalid ranges are ignored (RFC 9110, 14.2).
  for (const range of ['bytes=9-5', 'bytes=x-y', 'bytes', 'pages=1-2', 'bytes=-', 'bytes=1.5-2', 'bytes=0-0x5']) {
    const answer = await get({ Range: range });
    assert.ok(answer.status === 200 || answer.status === 416, `${range} → ${answer.status}`);
    if (answer.status === 200) assert.equal(answer.bytes.length, size, range);
  }
  // Several ranges return either multipart or the whole content.
  const several = await get({ Range: 'bytes=0-1,4-5' });
  assert.ok([200, 206].includes(several.status));
  if (several.status === 206) assert.match(several.header('Content-Type'), /^multipart\/byteranges/);

  for (const value of [etag, '*', `"other", ${etag}`, `W/${etag}`]) {
    const answer = await get({ 'If-None-Match': value });
    assert.deepEqual([answer.status, answer.bytes.length], [304, 0], `If-None-Match: ${value}`);
    assert.equal(answer.header('ETag'), etag);
  }
  assert.equal((await get({ 'If-None-Match': '"other"' })).status, 200);
  assert.equal((await get({ 'If-None-Match': etag, Range: 'bytes=0-0' })).status, 304);
  assert.equal((await get({ 'If-Range': etag, Range: 'bytes=0-0' })).status, 206);
  for (const value of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2015 07:28:00 GMT']) {
    const answer = await get({ 'If-Range': value, Range: 'bytes=0-0' });
    assert.deepEqual([answer.status, answer.bytes.length], [200, size], `If-Range: ${value}`);
  }
}

test('download', async (t) => {
  const { admin, viewer } = await shared.open();
  const { id } = await admin.newDataset();

  await t.test('ranges of a small file', async () => {
    const content = Buffer.from('0123456789abcdefghij');
    const [file] = await admin.putFiles(id, { 'small.txt': content });
    await checkRanges(content, (headers) => viewer.download(id, file?.id ?? '', headers));
  });

  await t.test('ranges of a large file', async () => {
    const content = randomBytes(2_500_003);
    const file = await admin.uploadFile(id, 'large.bin', content, 3);
    await checkRanges(content, (headers) => viewer.download(id, file.id, headers));
  });

  await t.test('ranges of an empty file', async () => {
    const [file] = await admin.putFiles(id, { empty: '' });
    const whole = await viewer.download(id, file?.id ?? '');
    assert.deepEqual([whole.status, whole.header('Content-Length'), whole.bytes.length], [200, '0', 0]);
    const answer = await viewer.download(id, file?.id ?? '', { Range: 'bytes=0-0' });
    assert.ok([200, 416].includes(answer.status));
  });

  await t.test('headers that keep content from running in a browser', async () => {
    const [file] = await admin.putFiles(id, { 'page.html': '<script>alert(1)</script>' });
    const answer = await viewer.download(id, file?.id ?? '');
    assert.match(answer.header('Content-Disposition'), /^attachment; ?filename\*?=/);
    assert.equal(answer.header('X-Content-Type-Options'), 'nosniff');
    assert.match(answer.header('Content-Security-Policy'), /(^|;\s*)sandbox/);
    const directives = answer.header('Content-Security-Policy');
    assert.doesNotMatch(directives, /allow-scripts|allow-same-origin/);
  });

  await t.test('the file’s name, whatever it is, in Content-Disposition', async () => {
    const names = ['plain.txt', '土壤 高.txt', 'quote".txt', "it's (1) 100%.txt", 'a;b=c.txt', 'ü😀.txt'];
    for (const fileName of names) {
      const file = await admin.uploadFile(id, `dir/${fileName}`, Buffer.from('x'));
      const value = (await viewer.download(id, file.id)).header('Content-Disposition');
      const [, encoded] = /filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]+)$/i.exec(value) ?? [];
      assert.equal(decodeURIComponent(encoded ?? ''), fileName, value);
    }
  });

  await t.test('the ETag is fixed at commit: a rename keeps it, a replacement changes it', async () => {
    const [file] = await admin.putFiles(id, { 'tag.txt': 'one' });
    const path = `${data}/datasets/${id}/files/${file?.id}`;
    const before = (await admin.download(id, file?.id ?? '')).header('ETag');
    assert.equal((await admin.patch(path, { fileName: 'tag2.txt' })).status, 200);
    assert.equal((await admin.download(id, file?.id ?? '')).header('ETag'), before);
    await admin.putFiles(id, { 'tag2.txt': 'two' });
    assert.notEqual((await admin.download(id, file?.id ?? '')).header('ETag'), before);
  });

  await t.test('HEAD, where it is answered, has the headers of GET and no body', async () => {
    const [file] = await admin.putFiles(id, { 'head.txt': 'head' });
    const answer = await admin.call('HEAD', `${data}/datasets/${id}/files/${file?.id}/download`).catch(() => undefined);
    if (answer?.status === 200) {
      assert.deepEqual([answer.header('Content-Length'), answer.bytes.length], ['4', 0]);
    }
  });

  await t.test('random ranges of a file in chunks of many sizes', async () => {
    const content = randomBytes(700_000);
    const file = await admin.uploadFile(id, 'random.bin', content, 9);
    for (let round = 0; round < 60; round += 1) {
      const from = (round * 104_729) % content.length;
      const to = Math.min(content.length - 1, from + ((round * 7919) % 200_000));
      const answer = await viewer.download(id, file.id, { Range: `bytes=${from}-${to}` });
      assert.ok(answer.bytes.equals(content.subarray(from, to + 1)), `${from}-${to}`);
    }
  });
});

test('batch download', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset({ name: 'Bödén "1"' });
  const contents = { 'a.txt': 'alpha', 'b/c.md': 'charlie', 'b/empty': '', '土壤/高.txt': '高', 'a:b ..': 'odd' };
  const files = new Map((await admin.putFiles(id, contents)).map((file) => [file.filePath, file]));
  await admin.post(`${data}/datasets/${id}/files/directories`, { directoryName: 'nothing', parentPrefix: 'b' });
  const path = `${data}/datasets/${id}/files/download`;
  const zipOf = async (query = '') => {
    const answer = await admin.get(`${path}${query}`);
    assert.equal(answer.status, 200, answer.bytes.toString('utf8', 0, 300));
    return readZip(answer.bytes);
  };
  const names = async (query: string) => [...(await zipOf(query)).keys()].filter((name) => !name.endsWith('/')).sort();

  await t.test('entries are filePath; empty directories are in', async () => {
    const entries = await zipOf();
    for (const [name, content] of Object.entries(contents)) assert.equal(entries.get(name)?.toString(), content, name);
    assert.ok(entries.has('b/nothing/'), [...entries.keys()].join(', '));
    assert.equal([...entries.keys()].filter((name) => !name.endsWith('/')).length, 5);
  });

  await t.test('filters', async () => {
    assert.deepEqual(await names('?prefix=b'), ['b/c.md', 'b/empty']);
    assert.deepEqual(await names('?prefix=b/'), ['b/c.md', 'b/empty']);
    assert.deepEqual(await names('?fileType=md'), ['b/c.md']);
    const [first, second] = [files.get('a.txt')?.id, files.get('b/c.md')?.id];
    assert.deepEqual(await names(`?fileIds=${first},${second}`), ['a.txt', 'b/c.md']);
    assert.deepEqual(await names('?prefix=none'), []);
    (await admin.get(`${path}?prefix=../x`)).fails(400, 'INVALID_PARAMETER', 'prefix');
    (await admin.get(`${path}?fileIds=a.b`)).fails(400, 'INVALID_PARAMETER', 'fileIds');
  });

  await t.test('length, ETag and ranges', async () => {
    const whole = await admin.get(path);
    await checkRanges(whole.bytes, (headers) => admin.get(path, headers));
    assert.match(whole.header('Content-Disposition'), /^attachment; ?filename\*?=/);
  });

  await t.test('one version’s content', async () => {
    const { version } = await admin.dataset(id);
    const before = await admin.get(`${path}?version=${version}`);
    await admin.putFiles(id, { 'a.txt': 'changed', 'new.txt': 'new' });
    (await admin.delete(`${data}/datasets/${id}/files/${files.get('b/c.md')?.id}`)).isEmpty();
    const after = await admin.get(`${path}?version=${version}`);
    assert.ok(before.bytes.equals(after.bytes), 'a version’s ZIP never changes');
    assert.equal(after.header('ETag'), before.header('ETag'));
    assert.notEqual((await admin.get(path)).header('ETag'), before.header('ETag'));
    assert.equal((await zipOf()).get('a.txt')?.toString(), 'changed');
  });

  await t.test('an empty dataset: a valid empty ZIP', async () => {
    const empty = await admin.newDataset();
    const answer = await admin.get(`${data}/datasets/${empty.id}/files/download`);
    assert.deepEqual([answer.status, (await readZip(answer.bytes)).size], [200, 0]);
  });

  await t.test('only COMPLETED files', async () => {
    const other = await admin.newDataset();
    const bad = toZip([{ name: 'a.txt', content: 'a', crc: 5 }]);
    const reqId = await admin.newUpload(other.id, { hasArchive: true, totalFileNum: 1, totalSize: bad.length });
    await admin.chunk(other.id, { reqId, fileNo: 1, fileName: 'bad.zip', totalChunkNum: 1, chunkNo: 1, bytes: bad });
    await admin.putFiles(other.id, { 'good.txt': 'good' });
    const answer = await admin.get(`${data}/datasets/${other.id}/files/download`);
    assert.deepEqual([...(await readZip(answer.bytes)).keys()], ['good.txt']);
  });

  await t.test('several hundred files', async () => {
    const many = await admin.newDataset();
    const wanted = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`${index % 9}/${index}.txt`, `${index}`]),
    );
    await admin.putFiles(many.id, wanted);
    const entries = await readZip((await admin.get(`${data}/datasets/${many.id}/files/download`)).bytes);
    assert.deepEqual(Object.fromEntries([...entries].map(([name, content]) => [name, content.toString()])), wanted);
  });
});
