import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { adoptAll, openTestStore, patternBytes, sha256Of, writeBlob } from '../../../../tests/support/blobs.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { createBufferPool, pieceBytes } from '../files/buffer-pool.ts';
import { createHasher, type Hasher } from './hasher.ts';

const mebibyte = 1024 * 1024;

/** A SHA-256 thread whose answers, and so its buffers and digests, are withheld until `go`. */
function createStuckHasher(): { create(memory: SharedArrayBuffer): Hasher; go(): void } {
  const { promise: time, resolve: go } = Promise.withResolvers<void>();
  return {
    go,
    create(memory) {
      const hasher = createHasher(memory);
      return {
        ...hasher,
        startOrdered() {
          const hash = hasher.startOrdered();
          return {
            ...hash,
            feedShared: (offset, length) => hash.feedShared(offset, length)?.then(() => time),
            digest: () => time.then(() => hash.digest()),
          };
        },
        hashFile: (...file) => time.then(() => hasher.hashFile(...file)),
      };
    },
  };
}

forAnyDatabase('a file is complete before its SHA-256, which comes later', async (t, open) => {
  const hasher = createStuckHasher();
  const { store, db } = await openTestStore(t, { db: await open(), createHasher: hasher.create });
  const bytes = patternBytes(1, 5 * mebibyte + 7);
  const written = await writeBlob(store, bytes);
  const assembly = await store.createAssembly({ totalChunks: 1, chunkSizeBytes: null });
  const chunk = await assembly.openChunk(1);
  await chunk.write(bytes);
  await chunk.finish();
  const sealed = await assembly.seal();
  await adoptAll(store, db, [written, sealed]);
  for (const { id } of [written, sealed]) assert.equal((await store.find(id))?.sha256, null);
  hasher.go();
  for (const { id } of [written, sealed])
    assert.equal(await sha256Of(store, id), createHash('sha256').update(bytes).digest('hex'));
});

forAnyDatabase('what was not hashed in time is hashed after a restart', async (t, open) => {
  const hasher = createStuckHasher();
  const { store, db, reopen } = await openTestStore(t, { db: await open(), createHasher: hasher.create });
  const bytes = patternBytes(2, 3 * mebibyte);
  const blob = await writeBlob(store, bytes);
  await adoptAll(store, db, [blob]);
  assert.equal((await store.find(blob.id))?.sha256, null);
  const reopening = reopen({ createHasher });
  // It continues only while the store is closing, too late for its result to be stored.
  hasher.go();
  const { store: again } = await reopening;
  assert.equal(await sha256Of(again, blob.id), createHash('sha256').update(bytes).digest('hex'));
});

test('a hash that falls far behind is given up and holds no more buffers', async (t: TestContext) => {
  const pool = createBufferPool();
  const hasher = createHasher(pool.memory);
  t.after(() => hasher.close());
  const hash = hasher.startOrdered();
  // Within one turn of the event loop, no answer of the thread arrives.
  const fed = Array.from({ length: 24 }, (_, index) => hash.feedShared(index * pieceBytes, pieceBytes));
  const held = fed.filter((piece) => piece !== undefined);
  assert.ok(held.length > 0 && held.length <= 12, `${held.length} of 24 buffers are held`);
  assert.equal(await hash.digest(), null);
  await Promise.all(held);
  // The next hash has the thread to itself.
  const next = hasher.startOrdered();
  await next.feedShared(0, pieceBytes);
  assert.equal(await next.digest(), createHash('sha256').update(new Uint8Array(pieceBytes)).digest('hex'));
});
