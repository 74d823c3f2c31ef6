import assert from 'node:assert/strict';
import { open as openFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  adoptAll,
  forEachStore,
  listStoredFiles,
  patternBytes,
  readBlob,
  writeBlob,
} from '../../../tests/support/blobs.ts';
import { recordHeaderBytes } from './packs/pack-format.ts';

const quiet = { sweepDelayMs: 3_600_000, sweepIntervalMs: 3_600_000 };

const large = 1_100_000;

forEachStore('a blob lives as long as something refers to it', async (open, kind) => {
  const { store, db, directory } = await open(quiet);
  const blobs = [await writeBlob(store, patternBytes(1, large)), await writeBlob(store, patternBytes(2, 10))];
  const ids = blobs.map(({ id }) => id);
  await adoptAll(store, db, blobs);
  await db.write((tx) => store.retain(tx, [...ids, ...ids]));
  await db.write((tx) => store.release(tx, [...ids, ...ids]));
  await store.sweep();
  assert.ok((await readBlob(store, ids[0] ?? '')).equals(patternBytes(1, large)));
  await db.write((tx) => store.release(tx, ids));
  const { freedBytes } = await store.sweep();
  // In a folder, the pack of the small blob is still being written.
  assert.equal(freedBytes, kind === 'folder' ? large : large + 10 + recordHeaderBytes);
  for (const id of ids) {
    assert.equal(await store.find(id), undefined);
    await assert.rejects(store.open(id), { code: 'BLOB_MISSING' });
  }
  assert.deepEqual(await listStoredFiles(directory, 'files'), []);
});

forEachStore(
  'references to what is not there, or more releases than references, undo the transaction',
  async (open) => {
    const { store, db } = await open(quiet);
    const blob = await writeBlob(store, patternBytes(1, 10));
    await adoptAll(store, db, [blob]);
    await assert.rejects(
      db.write((tx) => store.retain(tx, [blob.id, 'unknown'])),
      { code: 'BLOB_MISSING' },
    );
    await assert.rejects(
      db.write((tx) => store.release(tx, [blob.id, blob.id])),
      { code: 'BLOB_MISSING' },
    );
    await db.write((tx) => store.release(tx, [blob.id]));
    await store.sweep();
    assert.equal(await store.find(blob.id), undefined);
  },
);

forEachStore('content that is sent again does not rest on a copy that may be damaged', async (open) => {
  const { store, db, directory } = await open(quiet);
  for (const size of [large, 5000]) {
    const bytes = patternBytes(3, size);
    const first = await writeBlob(store, bytes);
    await adoptAll(store, db, [first]);
    const { place } = first;
    assert.ok(place.kind !== 'empty');
    const [path, offset] =
      place.kind === 'pack'
        ? [join('packs', place.objectId), place.offset]
        : [join('files', place.objectId.slice(-2), place.objectId), 0];
    const file = await openFile(join(directory, path), 'r+');
    await file.write(Buffer.from('weeds'), 0, 5, offset + 100);
    await file.close();
    const [second, third] = [await writeBlob(store, bytes), await writeBlob(store, bytes)];
    await adoptAll(store, db, [second, third]);
    await assert.rejects(readBlob(store, first.id), { code: 'BLOB_DAMAGED' });
    for (const { id } of [second, third]) assert.ok((await readBlob(store, id)).equals(bytes));
  }
});

forEachStore('bytes of a transaction that failed are erased when it settles', async (open) => {
  const { store, db, directory } = await open(quiet);
  const blobs = [await writeBlob(store, patternBytes(6, large)), await writeBlob(store, patternBytes(6, 100))];
  await store.flush();
  await assert.rejects(
    db.write(async (tx) => {
      await store.adopt(tx, blobs);
      throw new Error('Something else failed');
    }),
    /Something else failed/,
  );
  await store.settle(blobs);
  assert.equal(await store.find(blobs[0]?.id ?? ''), undefined);
  assert.deepEqual(await listStoredFiles(directory, 'files'), []);
});

forEachStore('what was never flushed cannot be adopted', async (open) => {
  const { store, db } = await open(quiet);
  const blob = await writeBlob(store, patternBytes(6, 100));
  await assert.rejects(
    db.write((tx) => store.adopt(tx, [blob])),
    /before it was flushed/,
  );
});

forEachStore('a pack that is mostly dead is rewritten, and its readers follow', async (open, kind) => {
  const { store, db, directory } = await open({ ...quiet, packMaxBytes: 100_000 });
  // A sealed upload that is not adopted yet is in the first pack and moves along.
  const assembly = await store.createAssembly({ totalChunks: 1, chunkSizeBytes: null });
  const chunk = await assembly.openChunk(1);
  await chunk.write(patternBytes(777, 3000));
  await chunk.finish();
  const sealedBefore = await assembly.seal();
  const contents = Array.from({ length: 100 }, (_, index) => patternBytes(index, 4000));
  const blobs = [];
  for (const bytes of contents) blobs.push(await writeBlob(store, bytes));
  await adoptAll(store, db, blobs);
  const before = await listStoredFiles(directory, 'packs');
  assert.ok(before.length >= 4);
  const alive = blobs.filter((_, index) => index % 10 === 0);
  const dead = blobs.filter((_, index) => index % 10 !== 0).map(({ id }) => id);
  const stream = store.readAll(blobs.map(({ id }) => id).filter((id) => !dead.includes(id)))[Symbol.asyncIterator]();
  const first = await stream.next();
  const usedBefore = await store.usage();
  await db.write((tx) => store.release(tx, dead));
  assert.ok((await store.usage()).reclaimableBytes >= dead.length * 4000);
  const { freedBytes } = await store.sweep();
  assert.ok(freedBytes > 250_000, `${freedBytes} bytes came back`);
  const after = await store.usage();
  assert.ok(after.storedBytes < usedBefore.storedBytes / 2);
  const kept = await listStoredFiles(directory, 'packs');
  assert.ok(kept.length < before.length);
  for (const blob of alive) {
    const index = blobs.indexOf(blob);
    assert.ok((await readBlob(store, blob.id)).equals(contents[index] ?? Buffer.alloc(0)));
  }
  let read = first.done === true ? 0 : 1;
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) read++;
  assert.equal(read, alive.length);
  const sealed = await assembly.seal();
  // In an object store, its pack contains nothing else.
  if (kind === 'folder') assert.notDeepEqual(sealed.place, sealedBefore.place);
  else assert.deepEqual(sealed.place, sealedBefore.place);
  const again = await assembly.openChunk(1);
  await again.write(patternBytes(777, 3000));
  assert.equal(await again.finish(), 'repeated');
  await adoptAll(store, db, [sealed]);
  assert.ok((await readBlob(store, sealed.id)).equals(patternBytes(777, 3000)));
});

forEachStore('a path that is held stays until it is released', async (open) => {
  const { store, db } = await open(quiet);
  const blob = await writeBlob(store, patternBytes(1, large));
  await adoptAll(store, db, [blob]);
  const held = await store.localPath(blob.id);
  await db.write((tx) => store.release(tx, [blob.id]));
  await store.sweep();
  assert.equal((await stat(held.path)).size, large);
  await held.release();
  await store.sweep();
  await assert.rejects(stat(held.path), { code: 'ENOENT' });
});

forEachStore('leftovers of an earlier run are swept at the start, and nothing else is', async (open, kind) => {
  const first = await open({ ...quiet, leftoverAgeMs: 0 });
  const kept = [
    await writeBlob(first.store, patternBytes(1, large)),
    await writeBlob(first.store, patternBytes(2, 50)),
  ];
  await adoptAll(first.store, first.db, kept);
  // Written and flushed, but never adopted in a transaction.
  await writeBlob(first.store, patternBytes(3, large));
  await first.store.flush();
  const unfinished = await first.store.createAssembly({ totalChunks: 3, chunkSizeBytes: null });
  for (const [chunkNo, size] of [
    [3, 10],
    [1, 5000],
  ] as const) {
    const writer = await unfinished.openChunk(chunkNo);
    await writer.write(patternBytes(chunkNo, size));
    await writer.finish();
  }
  const second = await first.reopen({});
  const staged = await writeBlob(second.store, patternBytes(4, large));
  await second.store.sweep();
  const names = (await listStoredFiles(second.directory, 'files')).map((path) => path.split('/').at(-1));
  // Small chunks are objects of their own.
  const receiving = kind === 'folder' ? [unfinished.id] : [];
  assert.equal(names.length, 2 + receiving.length);
  assert.deepEqual(new Set(names), new Set([kept[0]?.id, ...receiving, staged.id]));
  if (kind === 'S3') assert.equal((await listStoredFiles(second.directory, 'beside')).length, 2);
  await adoptAll(second.store, second.db, [staged]);
  for (const [index, blob] of kept.entries()) {
    assert.ok((await readBlob(second.store, blob.id)).equals(patternBytes(index + 1, index === 0 ? large : 50)));
  }
  assert.ok((await readBlob(second.store, staged.id)).equals(patternBytes(4, large)));
  assert.deepEqual((await second.store.findAssembly(unfinished.id))?.missingChunks(9), [2]);
});
