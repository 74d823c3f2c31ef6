// Archives at the limits of the format: as many entries as 16 bits count, and sizes and places around 4 GiB.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { isLongRun } from '../../../../tests/support/long-tests.ts';
import { findTool, testWith } from '../../../../tests/support/tools.ts';
import {
  sizeOf,
  type ArchivedFile,
  archiveOf,
  readSource,
  unpackSource,
  folderFor,
  pythonReader,
  type PythonView,
} from '../../../../tests/support/zip-archives.ts';

const run = promisify(execFile);
const unzip = findTool('unzip');
const python = findTool('python3');

for (const count of isLongRun ? [65_534, 65_535] : []) {
  testWith([unzip, python], `${count} entries`, async (t, unzipPath, pythonPath) => {
    const files = Array.from({ length: count }, (_, n) => ({ path: `d${n % 100}/f${n}`, bytes: Buffer.from(`${n}`) }));
    const { source, layout } = await archiveOf(files);
    assert.ok(
      layout.slices.some((slice) => slice.kept === undefined),
      'some batches are read again',
    );
    const file = join(await folderFor(t), 'archive.zip');
    const whole = await readSource(source);
    await writeFile(file, whole);
    await run(unzipPath ?? '', ['-tqq', file]);
    const { stdout } = await run(pythonPath ?? '', ['-c', pythonReader, file, 'all', 'count', 'd99/f65499']);
    assert.deepEqual(JSON.parse(stdout), { bad: null, entries: count, texts: ['65499'] });
    for (const [start, end] of [
      [whole.length - 200, whole.length],
      [3_000_000, 3_000_100],
      [layout.directory.offset - 50, layout.directory.offset + 50],
    ] as const)
      assert.ok((await readSource(source, start, end)).equals(whole.subarray(start, end)));
  });
}

const gib = 1024 ** 3;
const sparseFiles: ArchivedFile[] = [
  { path: 'a.txt', bytes: Buffer.from('first') },
  { path: 'b-just-below.bin', bytes: { zeros: 4 * gib - 2 } },
  { path: 'c-behind.txt', bytes: Buffer.from('second') },
  { path: 'd-exactly.bin', bytes: { zeros: 4 * gib - 1 } },
  { path: 'e-four.bin', bytes: { zeros: 4 * gib } },
  { path: 'f-last.txt', bytes: Buffer.from('third') },
];

test('sizes and places around 4 GiB: yauzl finds every entry, and ranges far behind cost nothing before them', async () => {
  const { source, store } = await archiveOf(sparseFiles, { batchSize: 2 });
  const unpacked = await unpackSource(source);
  assert.deepEqual(
    [...unpacked].map(([name, { entry }]) => [name, entry.uncompressedSize, entry.compressedSize]),
    sparseFiles.map(({ path, bytes }) => [path, sizeOf(bytes), sizeOf(bytes)]),
  );
  for (const [path, text] of [
    ['a.txt', 'first'],
    ['c-behind.txt', 'second'],
    ['f-last.txt', 'third'],
  ])
    assert.equal(unpacked.get(path ?? '')?.bytes.toString(), text);
  assert.ok(store.readBytes < 200_000, `${store.readBytes} bytes were read`);
  const before = store.readBytes;
  const inside = await readSource(source, 10 * gib, 10 * gib + 100);
  assert.ok(inside.equals(Buffer.alloc(100)));
  assert.equal(store.readBytes - before, 100);
});

testWith([python], 'sizes and places around 4 GiB: Python reads them', async (t, pythonPath) => {
  const { source, layout } = await archiveOf(sparseFiles, { batchSize: 2 });
  const file = join(await folderFor(t), 'sparse.zip');
  const handle = await open(file, 'w');
  try {
    await handle.truncate(source.sizeBytes);
    // Skip the zeros: write only the headers, the contents that aren't zeros, and the directory.
    let at = 0;
    for (const { path, bytes } of sparseFiles) {
      const length = 30 + path.length + 9 + 20 + ('zeros' in bytes ? 0 : bytes.length);
      const end = Math.min(at + length, source.sizeBytes);
      await handle.write(await readSource(source, at, end), 0, end - at, at);
      const isLarge = sizeOf(bytes) >= 4 * gib - 1;
      at += 30 + path.length + 9 + (isLarge ? 20 : 0) + sizeOf(bytes);
    }
    assert.equal(at, layout.directory.offset);
    await handle.write(await readSource(source, at), 0, source.sizeBytes - at, at);
  } finally {
    await handle.close();
  }
  const { stdout } = await run(pythonPath ?? '', [
    '-c',
    pythonReader,
    file,
    'some',
    'list',
    'a.txt',
    'c-behind.txt',
    'f-last.txt',
  ]);
  const view = JSON.parse(stdout) as PythonView<[string, number][]>;
  assert.deepEqual(view.texts, ['first', 'second', 'third']);
  assert.deepEqual(
    view.entries.map(([name, size]) => [name, size]),
    sparseFiles.map(({ path, bytes }) => [path, sizeOf(bytes)]),
  );
});
