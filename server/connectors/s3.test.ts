import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCollection, sharedCollection } from '../../tests/support/collection.ts';
import { startTcpProxy } from '../../tests/support/tcp-proxy.ts';
import { testWith } from '../../tests/support/tools.ts';
import { startS3, versitygw } from '../../tests/support/versitygw.ts';
import { sized } from '../../tests/support/long-tests.ts';

const shared = sharedCollection();

testWith([versitygw], 'objects are fetched with all folders, then only what changed', async (t) => {
  const { folder, ...server } = await startS3(t, 'soil');
  await mkdir(join(folder, 'data/deep'), { recursive: true });
  await writeFile(join(folder, 'data/a b+c&d.txt'), 'a');
  await writeFile(join(folder, 'data/deep/高.txt'), 'b');
  await writeFile(join(folder, 'data/skip.tmp'), 'x');
  await writeFile(join(folder, 'other.txt'), 'other');
  const bench = await shared();
  const config = { ...server, bucket: 'soil', keyPrefix: 'data/', exclude: ['*.tmp'] };
  const found = await bench.sources.test('s3', { config });
  assert.deepEqual([found.ok, found.sample.length], [true, 2], found.message);
  const id = await bench.task('s3', config, { prefix: 'bucket' });
  const run = await bench.run(id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.deepEqual(await bench.contents(id), { 'bucket/a b+c&d.txt': 'a', 'bucket/deep/高.txt': 'b' });
  assert.equal((await bench.run(id)).counts.kept, 0);
  assert.equal(await bench.version(id), 2);
  await writeFile(join(folder, 'data/a b+c&d.txt'), 'changed');
  await rm(join(folder, 'data/deep/高.txt'));
  const third = await bench.run(id);
  assert.equal(third.counts.kept, 1, JSON.stringify(await bench.verdicts(third)));
  assert.deepEqual(await bench.contents(id), { 'bucket/a b+c&d.txt': 'changed', 'bucket/deep/高.txt': 'b' });
});

testWith([versitygw], 'lists of more than 1,000 keys are read to their end', async (t) => {
  const { folder, ...server } = await startS3(t, 'many');
  const many = sized(1100, 2300);
  for (let index = 0; index < many; index += 1)
    await writeFile(join(folder, `${String(index).padStart(4, '0')}.txt`), String(index));
  // The last key of the first page, in GBK.
  await writeFile(Buffer.concat([Buffer.from(`${folder}/0998`), Buffer.from([0xd6, 0xd0, 0xce, 0xc4])]), 'x');
  const bench = await shared();
  const id = await bench.task('s3', { ...server, bucket: 'many' });
  const run = await bench.run(id);
  const { kept, failed } = run.counts;
  assert.deepEqual([run.status, kept, failed], ['COMPLETED', many, 1], run.error ?? '');
  assert.equal(run.failures[0]?.reason, 'its name is no UTF-8; rename it at the source');
  assert.equal((await bench.run(id)).counts.dropped, many);
});

testWith([versitygw], 'a wrong key, secret or bucket says so', async (t) => {
  const { folder: _folder, ...server } = await startS3(t, 'soil');
  const bench = await shared();
  const cases: readonly (readonly [change: object, problem: RegExp])[] = [
    [{ secretAccessKey: 'wrong' }, /forbids it \(403\)/],
    // Amazon answers 403.
    [{ accessKeyId: 'nobody' }, /forbids it \(403\)|nothing at this address \(404\)/],
    [{ bucket: 'nowhere' }, /nothing at this address \(404\)/],
  ];
  for (const [change, problem] of cases) {
    const { ok, message } = await bench.sources.test('s3', { config: { ...server, bucket: 'soil', ...change } });
    assert.equal(ok, false);
    assert.match(message, problem);
  }
});

testWith([versitygw], 'an object that breaks off is continued, and a server that dies has its cause', async (t) => {
  const { folder, endpoint, ...server } = await startS3(t, 'soil');
  const content = 'abcdefgh'.repeat(1_000_000);
  await writeFile(join(folder, 'big.txt'), content);
  const { hostname, port } = new URL(endpoint);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  t.after(() => proxy.close());
  const bench = await openCollection(t);
  const create = bench.blobs.create.bind(bench.blobs);
  let isWhole = true;
  bench.blobs.create = (options) => {
    const writer = create(options);
    const write = writer.write.bind(writer);
    writer.write = (bytes) => {
      if (!isWhole) proxy.cut();
      isWhole = true;
      return write(bytes);
    };
    return writer;
  };
  const config = { ...server, endpoint: `http://127.0.0.1:${proxy.port}`, bucket: 'soil' };
  const id = await bench.task('s3', config);
  proxy.refuse();
  const dead = await bench.run(id);
  assert.deepEqual([dead.status, dead.counts.in], ['FAILED', 0]);
  assert.match(dead.error ?? '', /could not be read to its end: .*(?:closed the connection|could not be reached)/i);
  proxy.admit();
  isWhole = false;
  const run = await bench.run(id);
  assert.deepEqual([run.status, run.counts.kept], ['COMPLETED', 1], run.error ?? JSON.stringify(run.failures));
  assert.ok((await bench.contents(id))['big.txt'] === content);
});

test('a bucket or region that would lead to another host, and a key that can not be sent, are refused', async () => {
  const bench = await shared();
  const endpoint = 'http://127.0.0.1:1025';
  const wrong: readonly (readonly [config: Record<string, unknown>, problem: RegExp])[] = [
    [{ bucket: 'evil.example/soil' }, /config\.bucket is not a valid bucket name/],
    [{ bucket: 'evil.example#' }, /config\.bucket is not a valid bucket name/],
    [{ bucket: 'me@evil' }, /config\.bucket is not a valid bucket name/],
    [{ bucket: 'ab' }, /config\.bucket is not a valid bucket name/],
    [{ bucket: 'a'.repeat(64) }, /config\.bucket is not a valid bucket name/],
    [{ bucket: 'soil.' }, /config\.bucket is not a valid bucket name/],
    [{ bucket: 'soil', region: 'evil.example/' }, /config\.region is not a valid region name/],
    [{ bucket: 'soil', region: 'us.evil' }, /config\.region is not a valid region name/],
    [{ endpoint, bucket: '..' }, /config\.bucket is not a valid bucket name/],
    [{ endpoint, bucket: 'soil/..' }, /config\.bucket is not a valid bucket name/],
    [{ endpoint, bucket: 'soil', region: 'a/b' }, /config\.region is not a valid region name/],
    [
      { endpoint, bucket: 'soil', accessKeyId: 'a\r\nb' },
      /config\.accessKeyId contains characters that cannot be sent/,
    ],
    [{ endpoint, bucket: 'soil', sessionToken: 'a\n' }, /config\.sessionToken contains characters that cannot be sent/],
  ];
  for (const [config, message] of wrong) {
    await assert.rejects(bench.task('s3', config), { code: 'INVALID_PARAMETER', message });
    await assert.rejects(bench.sources.test('s3', { config }), { message });
  }
  await bench.task('s3', { bucket: 'Old_soil.2006', region: 'eu-west-1' });
  await bench.task('s3', { endpoint, bucket: 'team:soil', region: 'RegionOne' });
});
