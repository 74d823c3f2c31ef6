import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { adoptAll, openTestStore, patternBytes, readBlob, writeBlob } from '../../../../tests/support/blobs.ts';
import { fileOperations, type FileOperations } from './file-operations.ts';

type Faults = {
  operations: FileOperations;
  /** Call → the error code with which it fails while it has an entry. */
  failing: Map<keyof FileOperations, string>;
  /** Maximum bytes written by one call. */
  shortWrite: number | undefined;
};

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

function createFaults(): Faults {
  const faults: Faults = { operations: fileOperations, failing: new Map(), shortWrite: undefined };
  const guard = (name: keyof FileOperations): void => {
    const code = faults.failing.get(name);
    if (code !== undefined) throw systemError(code);
  };
  faults.operations = {
    ...fileOperations,
    async open(path, flags) {
      guard('open');
      return fileOperations.open(path, flags);
    },
    async write(fd, bytes, position) {
      guard('write');
      const length = Math.min(bytes.length, faults.shortWrite ?? bytes.length);
      return fileOperations.write(fd, bytes.subarray(0, length), position);
    },
    async syncData(fd) {
      guard('syncData');
      return fileOperations.syncData(fd);
    },
    async syncDirectory(path) {
      guard('syncDirectory');
      return fileOperations.syncDirectory(path);
    },
    async unlink(path) {
      guard('unlink');
      return fileOperations.unlink(path);
    },
  };
  return faults;
}

const large = 2_500_000;

for (const size of [3000, large]) {
  test(`a full disk fails ${size} bytes and nothing else, and they fit when space returns`, async (t) => {
    const faults = createFaults();
    const { store, db, directory } = await openTestStore(t, { operations: faults.operations });
    const before = await writeBlob(store, patternBytes(1, 5000));
    await adoptAll(store, db, [before]);
    for (const code of ['ENOSPC', 'EDQUOT']) {
      faults.failing.set('write', code);
      await assert.rejects(
        async () => {
          const blob = await writeBlob(store, patternBytes(2, size));
          await store.flush();
          await db.write((tx) => store.adopt(tx, [blob]));
        },
        { code: 'INSUFFICIENT_STORAGE' },
      );
      faults.failing.clear();
    }
    const after = await writeBlob(store, patternBytes(2, size));
    await adoptAll(store, db, [after]);
    assert.ok((await readBlob(store, before.id)).equals(patternBytes(1, 5000)));
    assert.ok((await readBlob(store, after.id)).equals(patternBytes(2, size)));
    await store.sweep();
    assert.ok((await readdir(join(directory, 'packs'))).length > 0);
  });
}

test('blobs of a group that found no space cannot be adopted, whoever else flushed meanwhile', async (t) => {
  const faults = createFaults();
  const { store, db } = await openTestStore(t, { operations: faults.operations });
  faults.failing.set('write', 'ENOSPC');
  const lost = await writeBlob(store, patternBytes(1, 5000));
  await assert.rejects(store.flush(), { code: 'INSUFFICIENT_STORAGE' });
  faults.failing.clear();
  const good = await writeBlob(store, patternBytes(2, 5000));
  await store.flush();
  await assert.rejects(
    db.write((tx) => store.adopt(tx, [lost])),
    { code: 'INSUFFICIENT_STORAGE' },
  );
  await db.write((tx) => store.adopt(tx, [good]));
  await store.settle([lost, good]);
  assert.ok((await readBlob(store, good.id)).equals(patternBytes(2, 5000)));
});

test('a chunk that found no space is missing, and comes in when it is sent again', async (t) => {
  const faults = createFaults();
  const { store, db } = await openTestStore(t, { operations: faults.operations });
  const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: large });
  const send = async (chunkNo: number, bytes: Buffer): Promise<unknown> => {
    const writer = await assembly.openChunk(chunkNo);
    for (let from = 0; from < bytes.length; from += 100_000) await writer.write(bytes.subarray(from, from + 100_000));
    return writer.finish();
  };
  await send(1, patternBytes(1, large));
  faults.failing.set('write', 'ENOSPC');
  await assert.rejects(() => send(2, patternBytes(2, large)), { code: 'INSUFFICIENT_STORAGE' });
  faults.failing.clear();
  assert.deepEqual(assembly.missingChunks(9), [2]);
  await send(2, patternBytes(2, large));
  const staged = await assembly.seal();
  await adoptAll(store, db, [staged]);
  assert.ok((await readBlob(store, staged.id)).equals(Buffer.concat([patternBytes(1, large), patternBytes(2, large)])));
});

// The kernel cuts direct writes at block boundaries, other writes anywhere.
const shortWrites = { direct: [4096, 102_400], buffered: [1, 4097, 100_000] };
for (const lane of ['direct', 'buffered'] as const) {
  for (const shortWrite of shortWrites[lane]) {
    test(`writes that stop after ${shortWrite} bytes go on where they stopped (${lane})`, async (t) => {
      const faults = createFaults();
      const { store, db } = await openTestStore(t, { operations: faults.operations, lane });
      faults.shortWrite = shortWrite;
      const size = shortWrite === 1 ? 3000 : large;
      const blob = await writeBlob(store, patternBytes(3, size));
      await adoptAll(store, db, [blob]);
      assert.ok((await readBlob(store, blob.id)).equals(patternBytes(3, size)));
    });
  }
}

for (const call of ['syncData', 'syncDirectory'] as const) {
  test(`after a failed ${call} nothing is acknowledged until a probe succeeds`, async (t) => {
    const faults = createFaults();
    const { store, db, directory } = await openTestStore(t, { operations: faults.operations });
    const kept = await writeBlob(store, patternBytes(1, 5000));
    await adoptAll(store, db, [kept]);
    const packs = await readdir(join(directory, 'packs'));

    const lost = [await writeBlob(store, patternBytes(2, 5000)), await writeBlob(store, patternBytes(3, large))];
    faults.failing.set(call, 'EIO');
    await assert.rejects(store.flush(), { code: 'UNAVAILABLE' });
    // The disk still fails: new work is refused.
    await assert.rejects(store.createAssembly({ totalChunks: 1, chunkSizeBytes: null }), { code: 'UNAVAILABLE' });
    await assert.rejects(writeBlob(store, patternBytes(4, 100)), { code: 'UNAVAILABLE' });
    await assert.rejects(writeBlob(store, patternBytes(4, large)), { code: 'UNAVAILABLE' });
    await assert.rejects(store.flush(), { code: 'UNAVAILABLE' });
    assert.ok((await readBlob(store, kept.id)).equals(patternBytes(1, 5000)), 'reading goes on');

    faults.failing.clear();
    // Probes run at most once a second.
    let good;
    while (good === undefined) good = await writeBlob(store, patternBytes(5, 6000)).catch(() => undefined);
    await adoptAll(store, db, [good]);
    // A pack whose own sync succeeded is durable, even if a folder's sync failed.
    for (const blob of call === 'syncData' ? lost : lost.slice(1)) {
      await assert.rejects(
        db.write((tx) => store.adopt(tx, [blob])),
        { code: 'UNAVAILABLE' },
        'what was not durable at the failure stays lost',
      );
    }
    await store.settle(lost);
    assert.ok(
      good.place.kind === 'pack' && !packs.includes(good.place.objectId),
      'the pack at fault is closed for good',
    );
    assert.ok((await readBlob(store, kept.id)).equals(patternBytes(1, 5000)));
    assert.ok((await readBlob(store, good.id)).equals(patternBytes(5, 6000)));
  });
}

test('an upload whose sync failed is read again before it is sealed', async (t) => {
  const faults = createFaults();
  const { store, db } = await openTestStore(t, { operations: faults.operations });
  const assembly = await store.createAssembly({ totalChunks: 1, chunkSizeBytes: null });
  const writer = await assembly.openChunk(1);
  await writer.write(patternBytes(1, large));
  await writer.finish();
  faults.failing.set('syncData', 'EIO');
  await assert.rejects(assembly.seal(), { code: 'UNAVAILABLE' });
  faults.failing.clear();
  let staged;
  while (staged === undefined) staged = await assembly.seal().catch(() => undefined);
  await adoptAll(store, db, [staged]);
  assert.ok((await readBlob(store, staged.id)).equals(patternBytes(1, large)));
});

test('a file that cannot be removed yet is removed by a later sweep', async (t) => {
  const faults = createFaults();
  const { store, db, directory } = await openTestStore(t, { operations: faults.operations, sweepDelayMs: 3_600_000 });
  const blob = await writeBlob(store, patternBytes(1, large));
  await adoptAll(store, db, [blob]);
  await db.write((tx) => store.release(tx, [blob.id]));
  faults.failing.set('unlink', 'EIO');
  await assert.rejects(store.sweep(), /EIO/);
  faults.failing.clear();
  assert.equal((await store.sweep()).freedBytes, large);
  const left = await readdir(join(directory, 'files', blob.id.slice(-2)));
  assert.deepEqual(left, []);
});

for (const [size, code] of [
  [3000, 'EMFILE'],
  [large, 'EMFILE'],
  [large, 'ENFILE'],
] as const) {
  test(`${size} bytes whose folder can't be opened (${code}) are lost alone, and the disk stays trusted`, async (t) => {
    const faults = createFaults();
    const { store, db } = await openTestStore(t, { operations: faults.operations });
    faults.failing.set('syncDirectory', code);
    let blob: Awaited<ReturnType<typeof writeBlob>> | undefined;
    await assert.rejects(
      async () => {
        blob = await writeBlob(store, patternBytes(1, size));
        await store.flush();
      },
      { code },
    );
    faults.failing.clear();
    if (blob !== undefined) {
      const lost = blob;
      await assert.rejects(db.write((tx) => store.adopt(tx, [lost])));
      await store.settle([lost]);
    }
    // With a disk that is not trusted, this would be refused for a second.
    const next = await writeBlob(store, patternBytes(2, size));
    await adoptAll(store, db, [next]);
    assert.deepEqual(await readBlob(store, next.id), patternBytes(2, size));
  });
}
