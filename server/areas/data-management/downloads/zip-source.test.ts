import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import {
  type ArchivedFile,
  archiveOf,
  readSource,
  unpackBuffer,
  folderFor,
  pythonReader,
  type PythonView,
} from '../../../../tests/support/zip-archives.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import { findTool, testWith } from '../../../../tests/support/tools.ts';
import type { ZipEntry } from './zip-records.ts';

const run = promisify(execFile);
const unzip = findTool('unzip');
const python = findTool('python3');

const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .map((text) => text.replace(/[/\\\p{Cc}]/gu, '_'))
  .filter((text) => text !== '.' && text !== '..' && text.isWellFormed());
const anyPath = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const anyContent = fc.oneof(
  { weight: 8, arbitrary: fc.uint8Array({ maxLength: 3_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(262_143, 262_144, 300_000).map((size) => new Uint8Array(size).fill(size)) },
);
const fileSet = fc.uniqueArray(
  fc.record({ path: anyPath, bytes: anyContent, modifiedAtMs: fc.integer({ min: -1e12, max: 6e12 }) }),
  { selector: ({ path }) => path, maxLength: 12 },
);

test('any set of files comes out of the archive as it went in, and any range of the archive is a slice of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fileSet,
      fc.array(anyPath, { maxLength: 3 }),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000), fc.nat(1_000)), { minLength: 20, maxLength: 20 }),
      async (files, folders, batchSize, reread, ranges) => {
        const directories = [...new Set(folders)].map((path) => ({ path: `${path}/`, bytes: new Uint8Array() }));
        const all = [...directories, ...files];
        const { source } = await archiveOf(all, { batchSize, reread });
        const whole = await readSource(source);
        const unpacked = await unpackBuffer(whole);
        assert.deepEqual(
          [...unpacked.keys()],
          all.map(({ path }) => path),
        );
        for (const { path, bytes } of all) {
          const found = unpacked.get(path);
          assert.ok(found !== undefined && found.bytes.equals(bytes), path);
          assert.equal(found.entry.crc32, crc32(bytes));
        }
        for (const [a, b, piece] of ranges) {
          const [first, second] = [a % (whole.length + 1), b % (whole.length + 1)];
          const [start, end] = [Math.min(first, second), Math.max(first, second)];
          assert.ok(
            (await readSource(source, start, end, piece + Math.ceil((end - start) / 100) + 1)).equals(
              whole.subarray(start, end),
            ),
            `${start}-${end}`,
          );
        }
      },
    ),
    { numRuns: sized(25, 150) },
  );
});

const namedFiles: ArchivedFile[] = [
  { path: 'empty dir/', bytes: new Uint8Array() },
  { path: 'plain.txt', bytes: Buffer.from('hello') },
  { path: 'deep/er/nothing.bin', bytes: new Uint8Array() },
  { path: '数据/高.txt', bytes: Buffer.from('中文') },
  { path: 'emoji 😀/naïve café.md', bytes: Buffer.from('é') },
  { path: 'عربي/ملف', bytes: Buffer.from('ع') },
  { path: 'big.bin', bytes: new Uint8Array(700_000).fill(7) },
  { path: `${'long/'.repeat(60)}name`, bytes: Buffer.from('far down') },
];

testWith(
  [unzip, python],
  'unzip and Python accept the archive: names, times, modes and contents',
  async (t, unzipPath, pythonPath = '') => {
    const folder = await folderFor(t);
    const file = join(folder, 'archive.zip');
    await writeFile(file, await readSource((await archiveOf(namedFiles)).source));
    await run(unzipPath ?? '', ['-tqq', file]);
    const { stdout } = await run(pythonPath, ['-c', pythonReader, file, 'all', 'list', '数据/高.txt']);
    const view = JSON.parse(stdout) as PythonView<[string, number, number, number, number[], number][]>;
    assert.equal(view.bad, null);
    assert.deepEqual(view.texts, ['中文']);
    assert.deepEqual(
      view.entries.map(([name]) => name),
      namedFiles.map(({ path }) => path),
    );
    for (const [index, [name, size, crc, mode, time]] of view.entries.entries()) {
      const bytes = namedFiles[index]?.bytes as Uint8Array;
      assert.deepEqual([size, crc], [bytes.length, crc32(bytes)]);
      assert.equal(mode, name.endsWith('/') ? 0o040755 : 0o100644);
      assert.deepEqual(time, [2026, 1, 31, 8, 30, 10]);
    }
    // The extended timestamp keeps the odd second and the zone.
    const { stdout: seconds } = await run(
      'sh',
      ['-c', 'cd "$1" && "$2" -q archive.zip plain.txt && stat -c %Y plain.txt', 'sh', folder, unzipPath ?? ''],
      { env: { ...process.env, TZ: 'Asia/Shanghai' } },
    );
    assert.equal(Number(seconds), Date.UTC(2026, 0, 31, 8, 30, 11) / 1000);
  },
);

test('an archive of nothing is valid', async () => {
  const { source } = await archiveOf([]);
  assert.equal(source.sizeBytes, 22);
  assert.equal((await unpackBuffer(await readSource(source))).size, 0);
});

test('a batch that has changed breaks the archive before any of it is given', async () => {
  const files = Array.from({ length: 40 }, (_, n) => ({ path: `f${n}`, bytes: Buffer.from(`content ${n}`) }));
  for (const change of [
    (batch: ZipEntry[]) => batch.splice(3, 1),
    (batch: ZipEntry[]) => batch.splice(0, batch.length),
    (batch: ZipEntry[]) => batch.splice(2, 1, { ...(batch[2] as ZipEntry), blobId: 'other' }),
    (batch: ZipEntry[]) => batch.splice(2, 1, { ...(batch[2] as ZipEntry), modifiedAtMs: 0 }),
  ]) {
    const { source, layout, batches } = await archiveOf(files, { batchSize: 10, reread: true });
    const whole = await readSource(source);
    change(batches[2] as ZipEntry[]);
    const changedAt = layout.slices[2]?.offset ?? 0;
    const stream = await source.open(0, source.sizeBytes);
    const got: Buffer[] = [];
    const piece = Buffer.alloc(100);
    await assert.rejects(
      async () => {
        for (;;) got.push(Buffer.from(piece.subarray(0, await stream.fill(piece))));
      },
      { code: 'CONTENT_CHANGED' },
    );
    await stream.close();
    const before = Buffer.concat(got);
    assert.ok(before.length <= changedAt);
    assert.ok(before.equals(whole.subarray(0, before.length)));
    assert.ok((await readSource(source, 0, changedAt)).equals(whole.subarray(0, changedAt)));
  }
});

test('a large content that is damaged breaks the archive before its last byte', async () => {
  const files = [
    { path: 'large', bytes: Buffer.alloc(1_000_000, 1) },
    { path: 'next', bytes: Buffer.from('x') },
  ];
  const { source, blobs } = await archiveOf(files);
  blobs.set('blob-0', Buffer.alloc(1_000_000, 2));
  const stream = await source.open(0, source.sizeBytes);
  const piece = Buffer.alloc(100_000);
  let readBytes = 0;
  await assert.rejects(
    async () => {
      for (;;) readBytes += await stream.fill(piece);
    },
    { code: 'BLOB_DAMAGED' },
  );
  const headerBytes = 30 + 'large'.length + 9;
  assert.ok(readBytes < headerBytes + 1_000_000);
  await stream.close();
});

test('the tag is that of the bytes: equal for equal archives, another for any change', async () => {
  const files: ArchivedFile[] = [
    { path: 'a', bytes: Buffer.from('1') },
    { path: 'b', bytes: Buffer.from('2') },
  ];
  const tagOf = async (files: ArchivedFile[], batchSize?: number): Promise<string> =>
    (await archiveOf(files, batchSize === undefined ? {} : { batchSize })).layout.tag;
  const tag = await tagOf(files);
  assert.match(tag, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(await tagOf(files), tag);
  const [first, second] = files as [ArchivedFile, ArchivedFile];
  for (const other of [
    [first],
    [first, { ...second, path: 'c' }],
    [first, { ...second, bytes: Buffer.from('3') }],
    [first, { ...second, modifiedAtMs: Date.UTC(2026, 0, 1) }],
  ])
    assert.notEqual(await tagOf(other), tag);
});
