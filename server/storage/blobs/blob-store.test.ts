import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { open as openFile, readFile, truncate, unlink } from 'node:fs/promises';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { crc32 as zlibCrc32 } from 'node:zlib';
import {
  adoptAll,
  forEachStore,
  forFolder,
  listStoredFiles,
  openTestStore,
  patternBytes,
  readBlob,
  sha256Of,
  writeBlob,
  type TestStore,
} from '../../../tests/support/blobs.ts';
import { sized } from '../../../tests/support/long-tests.ts';
import type { StagedBlob } from './blob-store.ts';
import { fileOperations } from './files/file-operations.ts';
import { verifyBlobs } from './verification/blob-verification.ts';

const mebibyte = 1024 * 1024;
const sizes = [0, 1, 3500, 4096, mebibyte - 1, mebibyte, mebibyte + 1, 5 * mebibyte + 17];

for (const lane of ['auto', 'direct', 'buffered'] as const) {
  // Lanes are ways to write to a disk: an object store has none of its own.
  const forStores = lane === 'auto' ? forEachStore : forFolder;
  forStores(`bytes come back as they were written, whatever their size (${lane})`, async (open) => {
    const { store, db } = await open({ lane });
    const contents = sizes.map((size) => randomBytes(size));
    const staged = await Promise.all(contents.map((bytes, index) => writeBlob(store, bytes, 10_000 + index * 30_000)));
    await adoptAll(store, db, staged);
    for (const [index, blob] of staged.entries()) {
      const bytes = contents[index] ?? Buffer.alloc(0);
      assert.ok((await readBlob(store, blob.id)).equals(bytes), `${bytes.length} bytes`);
      assert.equal(await sha256Of(store, blob.id), createHash('sha256').update(bytes).digest('hex'));
      assert.equal(blob.crc32, zlibCrc32(bytes));
      assert.equal(blob.place.kind, bytes.length === 0 ? 'empty' : bytes.length < mebibyte ? 'pack' : 'file');
      const { id, sizeBytes, crc32 } = blob;
      assert.deepEqual(await store.find(id), { id, sizeBytes, crc32, sha256: await sha256Of(store, id) });
    }
  });
}

forEachStore('temporary blobs are kept as others are, without a SHA-256, also after a restart', async (open) => {
  const { store, db, reopen } = await open();
  const contents = sizes.map((size) => randomBytes(size));
  const staged: StagedBlob[] = [];
  for (const bytes of contents) {
    const writer = store.create({ isTemporary: true });
    await writer.write(bytes);
    staged.push(await writer.finish());
  }
  const wanted = await writeBlob(store, randomBytes(2 * mebibyte), mebibyte);
  await adoptAll(store, db, [...staged, wanted]);
  await db.write((tx) => tx.updateTable('blobs').set({ sha256: null }).where('id', '=', wanted.id).execute());
  const { store: again } = await reopen({});
  // Once the wanted blob has its SHA-256, the background work has run.
  while ((await again.find(wanted.id))?.sha256 === null) await setImmediate();
  for (const [index, blob] of staged.entries()) {
    const bytes = contents[index] ?? Buffer.alloc(0);
    assert.ok((await readBlob(again, blob.id)).equals(bytes), `${bytes.length} bytes`);
    assert.equal((await again.find(blob.id))?.sha256, bytes.length === 0 ? staged[0]?.sha256 : '');
    assert.equal(blob.crc32, zlibCrc32(bytes));
  }
});

async function openFilled(open: () => Promise<TestStore>): Promise<TestStore & { blobs: StagedBlob[] }> {
  const opened = await open();
  const blobs: StagedBlob[] = [];
  for (const [index, size] of sizes.entries()) blobs.push(await writeBlob(opened.store, patternBytes(index, size)));
  await adoptAll(opened.store, opened.db, blobs);
  return { ...opened, blobs };
}

forEachStore('any range of a blob can be read', async (open) => {
  const { store, blobs } = await openFilled(open);
  for (const [index, blob] of blobs.entries()) {
    const bytes = patternBytes(index, blob.sizeBytes);
    const reader = await store.open(blob.id);
    for (const [from, length] of [
      [0, 10],
      [1, 5000],
      [Math.floor(blob.sizeBytes / 2), blob.sizeBytes],
      [blob.sizeBytes - 1, 1],
      [blob.sizeBytes, 10],
      [blob.sizeBytes + 100, 10],
    ] as const) {
      const target = Buffer.alloc(length);
      const count = await reader.read(target, Math.max(0, from));
      assert.ok(target.subarray(0, count).equals(bytes.subarray(Math.max(0, from), Math.max(0, from) + length)));
    }
    await reader.close();
    const local = await store.localPath(blob.id);
    const content = await readFile(local.path);
    assert.ok(content.subarray(local.offset, local.offset + local.sizeBytes).equals(bytes));
    await local.release();
  }
});

forEachStore('many blobs stream in the order asked for, repeats included', async (open) => {
  const { store, db, blobs } = await openFilled(open);
  const count = sized(400, 1600);
  const small = await Promise.all(
    Array.from({ length: count }, (_, index) => writeBlob(store, patternBytes(5000 + index, 1 + (index % 900)))),
  );
  await adoptAll(store, db, small);
  const order: [string, Buffer][] = [];
  for (const index of Array.from({ length: count }, (_, number) => (number * 7) % count)) {
    order.push([small[index]?.id ?? '', patternBytes(5000 + index, 1 + (index % 900))]);
    if (index % (count / 4) === 0) {
      for (const [large, blob] of blobs.entries()) order.push([blob.id, patternBytes(large, blob.sizeBytes)]);
    }
  }
  async function* ids(): AsyncGenerator<string> {
    for (const [id] of order) yield id;
  }
  let index = 0;
  let position = 0;
  for await (const piece of store.readAll(ids())) {
    assert.equal(piece.index, index);
    const expected = order[index]?.[1] ?? Buffer.alloc(0);
    assert.ok(Buffer.from(piece.bytes).equals(expected.subarray(position, position + piece.bytes.length)));
    position += piece.bytes.length;
    if (!piece.last) continue;
    assert.equal(position, expected.length);
    position = 0;
    index++;
  }
  assert.equal(index, order.length);
});

forEachStore('a stream that is left early lets go of everything', async (open, kind) => {
  const { store, db, blobs } = await openFilled(open);
  for (let round = 0; round < sized(5, 20); round++) {
    for await (const { bytes } of store.readAll(blobs.map(({ id }) => id))) if (bytes.length > 0) break;
  }
  await db.write((tx) =>
    store.release(
      tx,
      blobs.map(({ id }) => id),
    ),
  );
  await store.sweep();
  // In a folder, the pack being written stays; a pack in an object store is never written again.
  assert.equal((await store.usage()).storedBytes > 0, kind === 'folder');
});

type Damage = (path: string, offset: number, sizeBytes: number) => Promise<void>;

const damages: Record<'flipped bit' | 'truncation' | 'removal', { apply: Damage; code: string; problem: string }> = {
  'flipped bit': {
    async apply(path, offset, sizeBytes) {
      const file = await openFile(path, 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, offset + sizeBytes - 1);
      byte[0] = (byte[0] ?? 0) ^ 4;
      await file.write(byte, 0, 1, offset + sizeBytes - 1);
      await file.close();
    },
    code: 'BLOB_DAMAGED',
    problem: 'damaged',
  },
  truncation: {
    apply: (path, offset, sizeBytes) => truncate(path, offset + sizeBytes - 1),
    code: 'BLOB_DAMAGED',
    problem: 'truncated',
  },
  removal: { apply: (path) => unlink(path), code: 'BLOB_MISSING', problem: 'missing' },
};

for (const [name, { apply, code, problem }] of Object.entries(damages)) {
  for (const size of [5000, 3 * mebibyte]) {
    test(`a ${name} of a blob of ${size} bytes is found, by a reader before its end and by verification`, async (t) => {
      const { store, db, directory, reopen } = await openTestStore(t);
      const good = await writeBlob(store, patternBytes(1, 2 * mebibyte));
      const bad = await writeBlob(store, patternBytes(2, size));
      await adoptAll(store, db, [good, bad]);
      const { path, offset, sizeBytes, release } = await store.localPath(bad.id);
      await release();
      await apply(path, offset, sizeBytes);
      const reopened = await reopen({});
      const seen: number[] = [];
      await assert.rejects(
        async () => {
          for await (const piece of reopened.store.readAll([good.id, bad.id])) {
            if (piece.last) seen.push(piece.index);
          }
        },
        { code },
      );
      assert.deepEqual(seen, [0], 'the last piece of the damaged blob is never given');
      const problems = [];
      for await (const found of verifyBlobs({ directory, db })) problems.push([found.blobId, found.problem]);
      assert.deepEqual(problems, [[bad.id, problem]]);
      assert.ok((await readBlob(reopened.store, good.id)).equals(patternBytes(1, 2 * mebibyte)));
    });
  }
}

forEachStore('blobs that never were are missing', async (open) => {
  const { store } = await open();
  await assert.rejects(store.open('unknown'), { code: 'BLOB_MISSING' });
  await assert.rejects(store.localPath('unknown'), { code: 'BLOB_MISSING' });
  await assert.rejects(readBlob(store, 'unknown'), { code: 'BLOB_MISSING' });
  assert.equal(await store.find('unknown'), undefined);
  assert.equal(await store.findAssembly('unknown'), undefined);
});

forEachStore('a range of a blob is compared with bytes that come again', async (open) => {
  const { store, blobs } = await openFilled(open);
  const [index, blob] = [...blobs.entries()].at(-1) ?? [];
  assert.ok(blob !== undefined && index !== undefined);
  const bytes = patternBytes(index, blob.sizeBytes).subarray(1000, 801_000);
  for (const [sent, outcome] of [
    [bytes, 'repeated'],
    [bytes.subarray(1), 'conflict'],
    [Buffer.concat([bytes, Buffer.of(0)]), 'conflict'],
    [patternBytes(99, bytes.length), 'conflict'],
  ] as const) {
    const writer = await store.compareWith(blob.id, 1000, 800_000);
    for (let from = 0; from < sent.length; from += 60_000) await writer.write(sent.subarray(from, from + 60_000));
    assert.equal(writer.crc32, zlibCrc32(sent));
    assert.equal(writer.sizeBytes, sent.length);
    assert.equal(await writer.finish(), outcome);
  }
});

test('flushes at the same time share a sync', async (t) => {
  let syncs = 0;
  const { store } = await openTestStore(t, {
    operations: {
      ...fileOperations,
      async syncData(fd) {
        syncs++;
        await fileOperations.syncData(fd);
      },
    },
  });
  await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      await writeBlob(store, patternBytes(index, 100));
      await store.flush();
    }),
  );
  assert.ok(syncs < 50, `${syncs} syncs`);
});

forEachStore('blobs given up leave nothing', async (open) => {
  const { store, directory } = await open();
  for (const size of [100, 3 * mebibyte]) {
    const writer = store.create();
    await writer.write(patternBytes(1, size));
    await writer.abort();
    await writer.abort();
  }
  assert.deepEqual(await listStoredFiles(directory), []);
});
