import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  adoptAll,
  listStoredFiles,
  openTestObjectStore,
  patternBytes,
  readBlob,
  sha256Of,
  type TestStore,
} from '../../../../tests/support/blobs.ts';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { startFaultyS3, type FaultyS3 } from '../../../../tests/support/faulty-s3.ts';
import { holdAnswers } from '../../../../tests/support/held-answers.ts';
import { sharedS3, versitygw } from '../../../../tests/support/versitygw.ts';
import type { AppError } from '../../../kernel/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Assembly, ChunkOutcome } from '../blob-store.ts';
import { besideName } from '../beside-names.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { verifyChunks } from '../verification/chunk-verification.ts';
import { createS3ObjectStore, openObjects } from './index.ts';

const mebibyte = 1024 * 1024;

async function send(assembly: Assembly, chunkNo: number, bytes: Uint8Array): Promise<ChunkOutcome> {
  const writer = await assembly.openChunk(chunkNo, bytes.length);
  for (let from = 0; from < bytes.length; from += 300_000) await writer.write(bytes.subarray(from, from + 300_000));
  return writer.finish();
}

type Watched = TestStore & { url: string; proxy: FaultyS3 };

/** A store behind a proxy that records its calls to the S3 server. */
async function openWatched(t: TestContext, db: Database): Promise<Watched> {
  const proxy = await startFaultyS3(t, (await sharedS3()).endpoint);
  const opened = await openTestObjectStore(t, { db, endpoint: proxy.endpoint });
  return { ...opened, url: opened.url, proxy };
}

async function adoptWhole({ store, db }: Pick<TestStore, 'store' | 'db'>, assembly: Assembly, whole: Buffer) {
  const staged = await assembly.seal();
  assert.deepEqual([staged.sizeBytes, staged.crc32], [whole.length, crc32(whole)]);
  await adoptAll(store, db, [staged]);
  assert.ok((await readBlob(store, staged.id)).equals(whole));
  return staged;
}

forAnyDatabase(
  'chunks in any order become parts of one object, and nothing is copied',
  async (t, open) => {
    const { store, db, directory, proxy } = await openWatched(t, await open());
    const size = 13 * mebibyte + 5;
    const chunks = [patternBytes(1, size), patternBytes(2, size), patternBytes(3, 70_000)];
    const assembly = await store.createAssembly({ totalChunks: 3, chunkSizeBytes: size });
    await Promise.all([3, 1, 2].map((chunkNo) => send(assembly, chunkNo, chunks[chunkNo - 1] ?? Buffer.alloc(0))));
    assert.deepEqual(await listStoredFiles(directory), []);
    const staged = await adoptWhole({ store, db }, assembly, Buffer.concat(chunks));
    assert.deepEqual(staged.place, { kind: 'file', objectId: assembly.id });
    const puts = proxy.calls.filter(({ method, path }) => method === 'PUT' && path.includes('/files/'));
    // 13 MiB are a part of 8 and one of 5.
    assert.equal(puts.filter(({ query }) => query.has('partNumber')).length, 5);
    assert.equal(puts.length, 5);
    assert.equal((await sha256Of(store, staged.id)).length, 64);
  },
  [versitygw],
);

forAnyDatabase(
  'two processes receive chunks of one file, and either completes it',
  async (t, open) => {
    const one = await openTestObjectStore(t, { db: await open() });
    const other = await openTestObjectStore(t, { db: await open(), prefix: one.url.split('/').at(-1) ?? '' });
    const size = 6 * mebibyte;
    const chunks = [1, 2, 3, 4].map((number) => patternBytes(number, size));
    const begun = await one.store.createAssembly({ totalChunks: 4, chunkSizeBytes: size });
    const found = await other.store.findAssembly(begun.id);
    assert.ok(found);
    await Promise.all(chunks.map((bytes, index) => send(index % 2 === 0 ? begun : found, index + 1, bytes)));
    assert.ok(
      [begun, found].some(({ receivedChunks }) => receivedChunks === 4),
      'the last one sees all',
    );
    // Both sent the same chunk again; one of them learned of it from the other.
    assert.equal(await send(begun, 2, chunks[1] ?? Buffer.alloc(0)), 'repeated');
    assert.equal(await send(found, 1, patternBytes(9, size)), 'conflict');
    const [first, second] = await Promise.all([
      (await one.store.findAssembly(begun.id))?.seal(),
      (await other.store.findAssembly(begun.id))?.seal(),
    ]);
    assert.deepEqual(first?.place, second?.place);
    assert.ok(second);
    await adoptAll(other.store, other.db, [second]);
    assert.ok((await readBlob(one.store, begun.id)).equals(Buffer.concat(chunks)));
  },
  [versitygw],
);

forAnyDatabase(
  'rows of chunks that arrive late take away no chunk that was recorded since',
  async (t, open) => {
    const { held, rows, holdCommit } = holdAnswers(await open());
    const { store, db } = await openTestObjectStore(t, { db: held });
    const chunks = [1, 2, 3].map((number) => patternBytes(number, 1000));
    const [one = Buffer.alloc(0), two = Buffer.alloc(0), three = Buffer.alloc(0)] = chunks;
    const assembly = await store.createAssembly({ totalChunks: 3, chunkSizeBytes: 1000 });
    const writer = await assembly.openChunk(2, 1000);
    await writer.write(two);
    const commit = holdCommit();
    const second = writer.finish();
    await commit.hasHappened;
    // The first chunk finds two in the database, and reads them.
    const first = send(assembly, 1, one);
    await rows.hasHappened;
    commit.release();
    await second;
    await send(assembly, 3, three);
    rows.release();
    await first;
    assert.deepEqual([assembly.receivedChunks, assembly.missingChunks(9)], [3, []]);
    await adoptWhole({ store, db }, assembly, Buffer.concat(chunks));
  },
  [versitygw],
);

forAnyDatabase(
  'rows of chunks that arrive late take away no chunk of another process',
  async (t, open) => {
    const db = await open();
    const { held, rows } = holdAnswers(db);
    const { store, url } = await openTestObjectStore(t, { db: held });
    const other = await openTestObjectStore(t, { db, prefix: url.split('/').at(-1) ?? '' });
    const assembly = await store.createAssembly({ totalChunks: 4, chunkSizeBytes: 1000 });
    const found = await other.store.findAssembly(assembly.id);
    assert.ok(found);
    await send(found, 4, patternBytes(4, 1000));
    const first = send(assembly, 1, patternBytes(1, 1000));
    await rows.hasHappened;
    await send(found, 3, patternBytes(3, 1000));
    await send(assembly, 2, patternBytes(2, 1000));
    rows.release();
    await first;
    assert.deepEqual([assembly.receivedChunks, assembly.missingChunks(9)], [4, []]);
  },
  [versitygw],
);

const mixtures: Record<string, readonly number[]> = {
  'a short chunk between long ones': [9 * mebibyte, 1000, 6 * mebibyte],
  'a short chunk first': [10, 9 * mebibyte, 6 * mebibyte],
  'short chunks only': [3 * mebibyte, 2 * mebibyte, 4 * mebibyte, 70_000],
  'empty chunks': [6 * mebibyte, 0, 7 * mebibyte, 0],
  'a long chunk that was announced as short': [1 * mebibyte, 14 * mebibyte],
};
for (const [name, sizes] of Object.entries(mixtures)) {
  forAnyDatabase(
    `chunks of any size make the whole: ${name}`,
    async (t, open) => {
      const opened = await openTestObjectStore(t, { db: await open() });
      const chunks = sizes.map((size, index) => patternBytes(index + 1, size));
      const assembly = await opened.store.createAssembly({ totalChunks: sizes.length, chunkSizeBytes: null });
      for (const [index, bytes] of [...chunks.entries()].toReversed()) await send(assembly, index + 1, bytes);
      const staged = await adoptWhole(opened, assembly, Buffer.concat(chunks));
      await opened.store.dropAssemblies([assembly.id]);
      const { place } = staged;
      assert.ok(place.kind === 'file');
      assert.deepEqual(await listStoredFiles(opened.directory), [
        join('files', place.objectId.slice(-2), place.objectId),
      ]);
    },
    [versitygw],
  );
}

forAnyDatabase(
  'a chunk whose first writer died is an object that the service copies into its place',
  async (t, open) => {
    const opened = await openWatched(t, await open());
    const { store, proxy } = opened;
    const size = 14 * mebibyte;
    const chunks = [patternBytes(1, size), patternBytes(2, size)];
    const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: size });
    const dead = await assembly.openChunk(1, size);
    await dead.write(patternBytes(7, 13 * mebibyte + 1));
    for (const [index, bytes] of chunks.entries()) assert.equal(await send(assembly, index + 1, bytes), 'received');
    await adoptWhole(opened, assembly, Buffer.concat(chunks));
    assert.equal(await dead.finish().catch(() => 'refused'), 'refused');
    const copies = proxy.calls.filter(({ method, query }) => method === 'PUT' && query.get('partNumber') === '1');
    assert.ok(copies.length >= 2, 'the part of the dead writer, and the copy');
  },
  [versitygw],
);

forAnyDatabase(
  'an upload that somebody aborted is told: its parts are missing, and come again',
  async (t, open) => {
    const opened = await openTestObjectStore(t, { db: await open() });
    const { store, db, url } = opened;
    const size = 6 * mebibyte;
    const chunks = [patternBytes(1, size), patternBytes(2, size), patternBytes(3, size)];
    const { id } = await store.createAssembly({ totalChunks: 3, chunkSizeBytes: size });
    const assembly = await store.findAssembly(id);
    assert.ok(assembly);
    await send(assembly, 1, chunks[0] ?? Buffer.alloc(0));
    const direct = createS3ObjectStore({ url, endpoint: (await sharedS3()).endpoint });
    t.after(() => direct.close());
    for await (const page of direct.listMultiparts()) for (const upload of page) await direct.abort(upload);
    await assert.rejects(send(assembly, 2, chunks[1] ?? Buffer.alloc(0)), { kind: 'unavailable' });
    // Clients retry like this when the service is unavailable.
    for (const chunkNo of [2, 3, 3])
      await send(assembly, chunkNo, chunks[chunkNo - 1] ?? Buffer.alloc(0)).catch((error: unknown) =>
        assert.equal((error as AppError).kind, 'unavailable'),
      );
    const objects = await openObjects(db, createS3ObjectStore({ url, endpoint: (await sharedS3()).endpoint }), url);
    t.after(() => objects.close());
    const problems = [];
    for await (const { chunkNo, problem } of verifyChunks({ directory: '', db, objects }))
      problems.push([chunkNo, problem]);
    assert.deepEqual(problems, [[1, 'missing']]);
    await assert.rejects(assembly.seal(), { kind: 'unavailable' });
    assert.deepEqual(assembly.missingChunks(9), [1]);
    await send(assembly, 1, chunks[0] ?? Buffer.alloc(0));
    await adoptWhole(opened, assembly, Buffer.concat(chunks));
  },
  [versitygw],
);

forAnyDatabase(
  'a chunk that the service has lost or damaged is missing again when the whole is made',
  async (t, open) => {
    const opened = await openTestObjectStore(t, { db: await open() });
    const { store, db, directory } = opened;
    const chunks = [patternBytes(1, 2 * mebibyte), patternBytes(2, 2 * mebibyte)];
    const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: null });
    for (const [index, bytes] of chunks.entries()) await send(assembly, index + 1, bytes);
    const [row] = await db.read.selectFrom('assembly_chunks').selectAll().where('chunk_no', '=', 2).execute();
    await writeFile(
      join(directory, 'beside', besideName(assembly.id, 2, row?.beside ?? 0)),
      patternBytes(3, 2 * mebibyte),
    );
    await assert.rejects(assembly.seal(), { kind: 'unavailable' });
    assert.ok(assembly.missingChunks(9).includes(2));
    for (const chunkNo of assembly.missingChunks(9))
      await send(assembly, chunkNo, chunks[chunkNo - 1] ?? Buffer.alloc(0));
    await adoptWhole(opened, assembly, Buffer.concat(chunks));
  },
  [versitygw],
);

forAnyDatabase(
  'what processes left that died is erased by its age, and what is continued is not',
  async (t, open) => {
    const opened = await openTestObjectStore(t, { db: await open(), sweepDelayMs: 3_600_000 });
    const size = 6 * mebibyte;
    const kept = await opened.store.createAssembly({ totalChunks: 2, chunkSizeBytes: size });
    await send(kept, 1, patternBytes(1, size));
    const { url } = opened;
    const direct = createS3ObjectStore({ url, endpoint: (await sharedS3()).endpoint });
    t.after(() => direct.close());
    const left = patternBytes(9, 100);
    await direct.startMultipart('files/zz/abandoned-zz');
    await direct.put('files/zz/orphan-zz', left, crc32(left));
    await direct.put(`beside/${besideName('gone', 1, 5)}`, left, crc32(left));
    await direct.put('packs/01900000-0000-7000-8000-000000000000', left, crc32(left));
    const young = await opened.reopen({ leftoverAgeMs: 3_600_000, packAgeMs: 0 });
    await young.store.sweep();
    assert.deepEqual((await listStoredFiles(opened.directory, 'files')).length, 1);
    const warnings: object[] = [];
    const old = await young.reopen({
      leftoverAgeMs: 0,
      packAgeMs: 0,
      logger: { warn: (details) => void warnings.push(details) },
    });
    await old.store.sweep();
    assert.deepEqual(await listStoredFiles(opened.directory), []);
    assert.deepEqual(warnings, [{ objects: 2, bytes: 200, uploads: 1 }]);
    const again = await old.store.findAssembly(kept.id);
    assert.ok(again);
    await send(again, 2, patternBytes(2, size));
    await adoptWhole(old, again, Buffer.concat([patternBytes(1, size), patternBytes(2, size)]));
  },
  [versitygw],
);
