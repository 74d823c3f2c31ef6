import assert from 'node:assert/strict';
import { open as openFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  adoptAll,
  openTestStore,
  patternBytes,
  readBlob,
  writeBlob,
  type TestStore,
} from '../../../tests/support/blobs.ts';
import { forEachDatabase } from '../../../tests/support/databases.ts';
import type { Database } from '../database/database.ts';
import type { BlobStoreOptions } from './blob-store-options.ts';

async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function openOver(
  t: TestContext,
  open: () => Promise<Database>,
  options: Partial<BlobStoreOptions> = {},
): Promise<TestStore> {
  return openTestStore(t, { db: await open(), sweepDelayMs: 3_600_000, sweepIntervalMs: 3_600_000, ...options });
}

const large = 1_100_000;

forEachDatabase('a blob lives as long as something refers to it', async (t, open) => {
  const { store, db, directory } = await openOver(t, open);
  const blobs = [await writeBlob(store, patternBytes(1, large)), await writeBlob(store, patternBytes(2, 10))];
  const ids = blobs.map(({ id }) => id);
  await adoptAll(store, db, blobs);
  await db.write((tx) => store.retain(tx, [...ids, ...ids]));
  await db.write((tx) => store.release(tx, [...ids, ...ids]));
  await store.sweep();
  assert.ok((await readBlob(store, ids[0] ?? '')).equals(patternBytes(1, large)));
  await db.write((tx) => store.release(tx, ids));
  const { freedBytes } = await store.sweep();
  assert.equal(freedBytes, large);
  for (const id of ids) {
    assert.equal(await store.find(id), undefined);
    await assert.rejects(store.open(id), { code: 'BLOB_MISSING' });
  }
  assert.deepEqual(
    (await listFiles(directory)).filter((path) => path.includes('/files/')),
    [],
  );
});

forEachDatabase(
  'references to what is not there, or more releases than references, undo the transaction',
  async (t, open) => {
    const { store, db } = await openOver(t, open);
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

forEachDatabase('content that is sent again does not rest on a copy that may be damaged', async (t, open) => {
  const { store, db } = await openOver(t, open);
  for (const size of [large, 5000]) {
    const bytes = patternBytes(3, size);
    const first = await writeBlob(store, bytes);
    await adoptAll(store, db, [first]);
    const stored = await store.localPath(first.id);
    const file = await openFile(stored.path, 'r+');
    await file.write(Buffer.from('weeds'), 0, 5, stored.offset + 100);
    await file.close();
    await stored.release();
    const [second, third] = [await writeBlob(store, bytes), await writeBlob(store, bytes)];
    await adoptAll(store, db, [second, third]);
    await assert.rejects(readBlob(store, first.id), { code: 'BLOB_DAMAGED' });
    for (const { id } of [second, third]) assert.ok((await readBlob(store, id)).equals(bytes));
  }
});

forEachDatabase('bytes of a transaction that failed are erased when it settles', async (t, open) => {
  const { store, db, directory } = await openOver(t, open);
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
  assert.deepEqual(
    (await listFiles(directory)).filter((path) => path.includes('/files/')),
    [],
  );
});

forEachDatabase('what was never flushed cannot be adopted', async (t, open) => {
  const { store, db } = await openOver(t, open);
  const blob = await writeBlob(store, patternBytes(6, 100));
  await assert.rejects(
    db.write((tx) => store.adopt(tx, [blob])),
    /before it was flushed/,
  );
});

forEachDatabase('a pack that is mostly dead is rewritten, and its readers follow', async (t, open) => {
  const { store, db, directory } = await openOver(t, open, { packMaxBytes: 100_000 });
  // A sealed upload that nobody has adopted yet stands in the first pack and moves along.
  const assembly = await store.createAssembly({ totalChunks: 1, chunkSizeBytes: null });
  const chunk = await assembly.openChunk(1);
  await chunk.write(patternBytes(777, 3000));
  await chunk.finish();
  const sealedBefore = await assembly.seal();
  const contents = Array.from({ length: 100 }, (_, index) => patternBytes(index, 4000));
  const blobs = [];
  for (const bytes of contents) blobs.push(await writeBlob(store, bytes));
  await adoptAll(store, db, blobs);
  const before = await readdir(join(directory, 'packs'));
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
  const kept = await readdir(join(directory, 'packs'));
  assert.ok(kept.length < before.length);
  for (const blob of alive) {
    const index = blobs.indexOf(blob);
    assert.ok((await readBlob(store, blob.id)).equals(contents[index] ?? Buffer.alloc(0)));
  }
  let read = first.done === true ? 0 : 1;
  for (let next = await stream.next(); next.done !== true; next = await stream.next()) read++;
  assert.equal(read, alive.length);
  const sealed = await assembly.seal();
  assert.notDeepEqual(sealed.place, sealedBefore.place);
  const again = await assembly.openChunk(1);
  await again.write(patternBytes(777, 3000));
  assert.equal(await again.finish(), 'repeated');
  await adoptAll(store, db, [sealed]);
  assert.ok((await readBlob(store, sealed.id)).equals(patternBytes(777, 3000)));
});

forEachDatabase('a path that is held stays until it is released', async (t, open) => {
  const { store, db } = await openOver(t, open);
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

forEachDatabase('leftovers of an earlier run are swept at the start, and nothing else is', async (t, open) => {
  const first = await openOver(t, open);
  const kept = [
    await writeBlob(first.store, patternBytes(1, large)),
    await writeBlob(first.store, patternBytes(2, 50)),
  ];
  await adoptAll(first.store, first.db, kept);
  // Written and flushed, but its transaction never came.
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
  const names = (await listFiles(join(second.directory, 'files'))).map((path) => path.split('/').at(-1));
  assert.deepEqual(new Set(names), new Set([kept[0]?.id, unfinished.id, staged.id]));
  assert.equal(names.length, 3);
  await adoptAll(second.store, second.db, [staged]);
  for (const [index, blob] of kept.entries()) {
    assert.ok((await readBlob(second.store, blob.id)).equals(patternBytes(index + 1, index === 0 ? large : 50)));
  }
  assert.ok((await readBlob(second.store, staged.id)).equals(patternBytes(4, large)));
  assert.deepEqual((await second.store.findAssembly(unfinished.id))?.missingChunks(9), [2]);
});
