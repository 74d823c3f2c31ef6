import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readBlobs } from './blob-reading.ts';

test('each blob is given its own bytes, empty ones as well', async () => {
  const texts = ['first', '', 'the second', '\0', 'x'.repeat(70_000), ''];
  const read = await readBlobs(texts.map((text) => new Blob([text])));
  assert.deepEqual(
    read.map((bytes) => (bytes instanceof Uint8Array ? Buffer.from(bytes).toString() : bytes)),
    texts,
  );
  assert.deepEqual(await readBlobs([]), []);
});

test('blobs are read in one go, not one by one', async (t) => {
  const reads = t.mock.method(Blob.prototype, 'arrayBuffer');
  await readBlobs(Array.from({ length: 200 }, (_, index) => new Blob([String(index)])));
  assert.equal(reads.mock.callCount(), 1);
});

test('a file that has changed since it was chosen fails alone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-test-'));
  t.after(() => rm(folder, { recursive: true }));
  const paths = ['a', 'b', 'c'].map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, `bytes of ${path}`);
  const blobs = await Promise.all(paths.map((path) => openAsBlob(path)));
  await appendFile(paths[1] ?? '', ' and more');
  const [first, changed, third] = await readBlobs(blobs);
  assert.equal(Buffer.from(first as Uint8Array).toString(), `bytes of ${paths[0]}`);
  assert.ok(changed instanceof Error);
  assert.equal(Buffer.from(third as Uint8Array).toString(), `bytes of ${paths[2]}`);
});
