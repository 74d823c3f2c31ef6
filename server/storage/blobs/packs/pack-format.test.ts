import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestStore, patternBytes, readBlob, writeBlob } from '../../../../tests/support/blobs.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { verifyBlobs } from '../verification/blob-verification.ts';
import { readRecordHeader, recordHeaderBytes } from './pack-format.ts';

test('a pack tells what is in it without the database', async (t) => {
  const { store, directory } = await openTestStore(t);
  const contents = [patternBytes(1, 10), patternBytes(2, 70_000), patternBytes(3, 1)];
  const staged = [];
  for (const bytes of contents) staged.push(await writeBlob(store, bytes));
  await store.flush();
  const [name] = await readdir(join(directory, 'packs'));
  const pack = await readFile(join(directory, 'packs', name ?? ''));
  let offset = 0;
  for (const [index, bytes] of contents.entries()) {
    const header = readRecordHeader(pack, offset);
    assert.deepEqual(header, { blobId: staged[index]?.id, sizeBytes: bytes.length, crc32: crc32(bytes) });
    offset += recordHeaderBytes;
    assert.deepEqual(staged[index]?.place, { kind: 'pack', objectId: name, offset });
    assert.ok(pack.subarray(offset, offset + bytes.length).equals(bytes));
    offset += bytes.length;
  }
  assert.equal(offset, pack.length);
});

test('every damaged bit of a header is noticed, and no content depends on it', async (t) => {
  const { store, directory, db } = await openTestStore(t);
  const [first, second] = [patternBytes(1, 300), patternBytes(2, 700)];
  const staged = [await writeBlob(store, first), await writeBlob(store, second)];
  await store.flush();
  await db.write((tx) => store.adopt(tx, staged));
  await store.settle(staged);
  const [name] = await readdir(join(directory, 'packs'));
  const path = join(directory, 'packs', name ?? '');
  const pack = await readFile(path);
  const start = recordHeaderBytes + first.length;
  for (let at = start; at < start + recordHeaderBytes; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const damaged = Buffer.from(pack);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
      assert.equal(readRecordHeader(damaged, start), undefined, `byte ${at - start}, bit ${bit}`);
    }
    const damaged = Buffer.from(pack);
    damaged[at] = (damaged[at] ?? 0) ^ 4;
    await writeFile(path, damaged);
    const found = [];
    for await (const { blobId, problem, place } of verifyBlobs({ directory, db }))
      found.push([blobId, problem, place.offset, place.sizeBytes]);
    assert.deepEqual(found, [[staged[1]?.id, 'header', start, recordHeaderBytes]], `byte ${at - start}`);
    assert.ok((await readBlob(store, staged[1]?.id ?? '')).equals(second));
  }
  await writeFile(path, pack);
  for await (const problem of verifyBlobs({ directory, db })) assert.fail(JSON.stringify(problem));
});

test('what is no header is not taken for one', () => {
  const header = Buffer.alloc(recordHeaderBytes);
  assert.equal(readRecordHeader(header, 0), undefined);
  assert.equal(readRecordHeader(Buffer.from('TPK1'), 0), undefined);
});
