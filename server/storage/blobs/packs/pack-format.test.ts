import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestStore, patternBytes, writeBlob } from '../../../../tests/support/blobs.ts';
import { crc32 } from '../hashing/crc32.ts';
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

test('what is no header is not taken for one', () => {
  const header = Buffer.alloc(recordHeaderBytes);
  assert.equal(readRecordHeader(header, 0), undefined);
  assert.equal(readRecordHeader(Buffer.from('TPK1'), 0), undefined);
});
