import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  adoptAll,
  forEachStore,
  listStoredFiles,
  openTestStore,
  patternBytes,
  readBlob,
  sha256Of,
} from '../../../../tests/support/blobs.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import type { Assembly, ChunkOutcome } from '../blob-store.ts';

async function send(assembly: Assembly, chunkNo: number, bytes: Uint8Array, expected?: number): Promise<ChunkOutcome> {
  const writer = await assembly.openChunk(chunkNo, expected);
  for (let from = 0; from < bytes.length; from += 50_000) await writer.write(bytes.subarray(from, from + 50_000));
  return writer.finish();
}

forAnyDatabase(
  'equal chunks in reverse order are written once, to their places, and nothing waits beside',
  async (t, open) => {
    const { store, db, directory } = await openTestStore(t, { db: await open() });
    const size = 1_500_000;
    const chunks = [patternBytes(1, size), patternBytes(2, size), patternBytes(3, 70_000)];
    const assembly = await store.createAssembly({ totalChunks: 3, chunkSizeBytes: size });
    for (const chunkNo of [3, 2, 1]) {
      assert.equal(await send(assembly, chunkNo, chunks[chunkNo - 1] ?? Buffer.alloc(0)), 'received');
      assert.deepEqual(await readdir(join(directory, 'beside')), []);
    }
    const staged = await assembly.seal();
    const whole = Buffer.concat(chunks);
    assert.deepEqual(staged.place, { kind: 'file', objectId: assembly.id });
    assert.equal(staged.crc32, crc32(whole));
    await adoptAll(store, db, [staged]);
    assert.ok((await readBlob(store, staged.id)).equals(whole));
  },
);

forEachStore('chunks that come in order are hashed as they come', async (open) => {
  const { store, db } = await open();
  const chunks = [patternBytes(1, 2_000_000), patternBytes(2, 2_000_000), patternBytes(3, 5)];
  const assembly = await store.createAssembly({ totalChunks: 3, chunkSizeBytes: null });
  for (const [index, bytes] of chunks.entries()) {
    // An aborted attempt leaves no trace in the checksum.
    const torn = await assembly.openChunk(index + 1);
    await torn.write(patternBytes(99, 40_000).subarray(0, Math.min(40_000, bytes.length)));
    await torn.abort();
    await send(assembly, index + 1, bytes);
  }
  const staged = await assembly.seal();
  await adoptAll(store, db, [staged]);
  assert.equal(await sha256Of(store, staged.id), createHash('sha256').update(Buffer.concat(chunks)).digest('hex'));
});

forEachStore('a later SHA-256 is computed in the background when chunks came out of order', async (open) => {
  const { store, db } = await open();
  const chunks = [patternBytes(1, 900_000), patternBytes(2, 900_000)];
  const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: 900_000 });
  await send(assembly, 2, chunks[1] ?? Buffer.alloc(0));
  await send(assembly, 1, chunks[0] ?? Buffer.alloc(0));
  const staged = await assembly.seal();
  assert.equal(staged.sha256, null);
  await adoptAll(store, db, [staged]);
  assert.equal(await sha256Of(store, staged.id), createHash('sha256').update(Buffer.concat(chunks)).digest('hex'));
});

forEachStore('of sixteen writers of one chunk the first to finish wins, the others are compared', async (open) => {
  const { store, db } = await open();
  const size = 600_000;
  const good = patternBytes(1, size);
  const other = patternBytes(2, size);
  const assembly = await store.createAssembly({ totalChunks: 1, chunkSizeBytes: size });
  const writers = await Promise.all(
    Array.from({ length: 16 }, async (_, index) => ({
      bytes: index % 4 === 3 ? other : good,
      writer: await assembly.openChunk(1),
    })),
  );
  const outcomes = await Promise.all(
    writers.map(async ({ bytes, writer }) => {
      for (let from = 0; from < size; from += 60_000) await writer.write(bytes.subarray(from, from + 60_000));
      return { bytes, outcome: await writer.finish() };
    }),
  );
  const winners = outcomes.filter(({ outcome }) => outcome === 'received');
  assert.equal(winners.length, 1);
  const winner = winners[0]?.bytes ?? Buffer.alloc(0);
  for (const { bytes, outcome } of outcomes) {
    if (outcome !== 'received') assert.equal(outcome, bytes.equals(winner) ? 'repeated' : 'conflict');
  }
  const staged = await assembly.seal();
  await adoptAll(store, db, [staged]);
  assert.ok((await readBlob(store, staged.id)).equals(winner));
});

for (const ending of ['goes on with other bytes', 'is aborted', 'stays silent'] as const) {
  forEachStore(`a chunk received beside replaces what a writer left in its place, who ${ending}`, async (open) => {
    const { store, db } = await open();
    const size = 3_000_000;
    const good = patternBytes(1, size);
    const bad = patternBytes(2, size);
    const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: size });
    const holder = await assembly.openChunk(1);
    await holder.write(bad.subarray(0, 2_500_000));
    assert.equal(await send(assembly, 1, good), 'received');
    if (ending === 'is aborted') await holder.abort();
    if (ending === 'goes on with other bytes') {
      await holder.write(bad.subarray(2_500_000));
      assert.equal(await holder.finish(), 'conflict');
    }
    await send(assembly, 2, patternBytes(3, 10));
    const staged = await assembly.seal();
    await adoptAll(store, db, [staged]);
    assert.ok((await readBlob(store, staged.id)).equals(Buffer.concat([good, patternBytes(3, 10)])));
  });
}

forEachStore('a writer that sends the received bytes after all is told that they are repeated', async (open) => {
  const { store } = await open();
  const bytes = patternBytes(1, 3_000_000);
  const assembly = await store.createAssembly({ totalChunks: 1, chunkSizeBytes: null });
  const slow = await assembly.openChunk(1);
  await slow.write(bytes.subarray(0, 1_700_000));
  assert.equal(await send(assembly, 1, bytes), 'received');
  await slow.write(bytes.subarray(1_700_000));
  assert.equal(await slow.finish(), 'repeated');
});

forEachStore('wrong guesses of the chunk size cost a copy, never a byte', async (open) => {
  const { store, db } = await open();
  const size = 700_000;
  const chunks = [patternBytes(1, size), patternBytes(2, size), patternBytes(3, size), patternBytes(4, 3)];
  const assembly = await store.createAssembly({ totalChunks: 4, chunkSizeBytes: null });
  const writers = await Promise.all([3, 2, 1].map((chunkNo) => assembly.openChunk(chunkNo, size + 211)));
  for (const [index, writer] of writers.entries())
    await writer.write((chunks[2 - index] ?? Buffer.alloc(0)).subarray(0, 400_000));
  for (const [index, writer] of writers.entries()) {
    await writer.write((chunks[2 - index] ?? Buffer.alloc(0)).subarray(400_000));
    assert.equal(await writer.finish(), 'received');
  }
  assert.equal(assembly.chunkSizeBytes, size);
  await send(assembly, 4, chunks[3] ?? Buffer.alloc(0));
  const staged = await assembly.seal();
  await adoptAll(store, db, [staged]);
  assert.ok((await readBlob(store, staged.id)).equals(Buffer.concat(chunks)));
});

forEachStore('chunks of 3, 5 and 2 bytes are joined by their numbers', async (open) => {
  const { store, db } = await open();
  const assembly = await store.createAssembly({ totalChunks: 3, chunkSizeBytes: null });
  await send(assembly, 2, Buffer.from('defgh'));
  await send(assembly, 3, Buffer.from('ij'));
  await send(assembly, 1, Buffer.from('abc'));
  const staged = await assembly.seal();
  await adoptAll(store, db, [staged]);
  assert.equal((await readBlob(store, staged.id)).toString(), 'abcdefghij');
});

forAnyDatabase('after another boot chunks are read again, and damaged ones are missing', async (t, open) => {
  const first = await openTestStore(t, { db: await open(), bootId: 'monday', lane: 'buffered' });
  const { id } = await first.store.createAssembly({ totalChunks: 3, chunkSizeBytes: 5000 });
  const assembly = await first.store.findAssembly(id);
  assert.ok(assembly);
  await send(assembly, 1, patternBytes(1, 5000));
  await send(assembly, 2, patternBytes(2, 5000));
  const path = join(first.directory, 'files', id.slice(-2), id);
  const damage = async (): Promise<void> =>
    writeFile(path, Buffer.concat([patternBytes(1, 5000), patternBytes(7, 5000)]));

  const second = await first.reopen({});
  await damage();
  assert.deepEqual((await second.store.findAssembly(id))?.missingChunks(9), [3], 'the same boot is trusted');
  const third = await second.reopen({ bootId: 'tuesday' });
  assert.deepEqual((await third.store.findAssembly(id))?.missingChunks(9), [2, 3]);
  const fourth = await third.reopen({ bootId: 'tuesday' });
  const checked = await fourth.store.findAssembly(id);
  assert.ok(checked);
  assert.deepEqual(checked.missingChunks(9), [2, 3]);
  assert.equal(checked.receivedBytes, 5000);
  await send(checked, 2, patternBytes(2, 5000));
  await send(checked, 3, patternBytes(3, 50));
  const staged = await checked.seal();
  await adoptAll(fourth.store, fourth.db, [staged]);
  const whole = Buffer.concat([patternBytes(1, 5000), patternBytes(2, 5000), patternBytes(3, 50)]);
  assert.ok((await readBlob(fourth.store, staged.id)).equals(whole));
});

forAnyDatabase('a damaged chunk that waits beside takes its file along when it is found', async (t, open) => {
  const first = await openTestStore(t, { db: await open(), bootId: 'monday', lane: 'buffered' });
  const assembly = await first.store.createAssembly({ totalChunks: 3, chunkSizeBytes: null });
  await send(assembly, 3, patternBytes(3, 3000));
  const folder = join(first.directory, 'beside');
  const [name] = await readdir(folder);
  assert.ok(name);
  const second = await first.reopen({ bootId: 'tuesday' });
  // The sweep at start is over: the row still referred to the file.
  await second.store.sweep();
  await writeFile(join(folder, name), patternBytes(4, 3000));
  assert.deepEqual((await second.store.findAssembly(assembly.id))?.missingChunks(9), [1, 2, 3]);
  assert.deepEqual(await readdir(folder), []);
});

forEachStore('a dropped assembly refuses its writers and leaves nothing on disk', async (open) => {
  const { store, directory } = await open();
  const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: null });
  await send(assembly, 2, patternBytes(2, 9000));
  const writer = await assembly.openChunk(1, 2_000_000);
  await writer.write(patternBytes(1, 2_000_000));
  await store.dropAssemblies([assembly.id]);
  await assert.rejects(async () => writer.finish(), { code: 'NOT_FOUND' });
  await assert.rejects(async () => assembly.openChunk(1), { code: 'NOT_FOUND' });
  assert.equal(await store.findAssembly(assembly.id), undefined);
  assert.deepEqual(await listStoredFiles(directory), []);
});

forEachStore('repeats after the end are compared even when the blob has been erased', async (open) => {
  const { store, db } = await open();
  const assembly = await store.createAssembly({ totalChunks: 1, chunkSizeBytes: null });
  const bytes = patternBytes(1, 2_000_000);
  await send(assembly, 1, bytes);
  const staged = await assembly.seal();
  await adoptAll(store, db, [staged]);
  assert.equal(await send(assembly, 1, bytes), 'repeated');
  assert.equal(await send(assembly, 1, patternBytes(2, 2_000_000)), 'conflict');
  assert.equal(await send(assembly, 1, bytes.subarray(1)), 'conflict');
  await db.write((tx) => store.release(tx, [staged.id]));
  await store.sweep();
  assert.equal(await send(assembly, 1, bytes), 'repeated');
  assert.equal(await send(assembly, 1, patternBytes(2, 2_000_000)), 'conflict');
});

forEachStore('a chunk number outside the announced ones is refused', async (open) => {
  const { store } = await open();
  const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: null });
  for (const chunkNo of [0, 3, 1.5, Number.NaN]) {
    await assert.rejects(async () => assembly.openChunk(chunkNo), { code: 'INVALID_PARAMETER', field: 'chunkNo' });
  }
});

forEachStore('thousands of small chunks are counted and sealed without walking the bytes', async (open) => {
  const { store, db } = await open();
  const total = sized(200, 2000);
  const assembly = await store.createAssembly({ totalChunks: total, chunkSizeBytes: 1000 });
  const whole = patternBytes(5, total * 1000 - 300);
  const numbers = Array.from({ length: total }, (_, index) => ((index * 1009) % total) + 1);
  for (let from = 0; from < total; from += 200) {
    await Promise.all(
      numbers
        .slice(from, from + 200)
        .map((chunkNo) => send(assembly, chunkNo, whole.subarray((chunkNo - 1) * 1000, chunkNo * 1000))),
    );
  }
  assert.equal(assembly.receivedChunks, total);
  assert.deepEqual(assembly.missingChunks(5), []);
  const staged = await assembly.seal();
  assert.equal(staged.crc32, crc32(whole));
  await adoptAll(store, db, [staged]);
  assert.ok((await readBlob(store, staged.id)).equals(whole));
});
