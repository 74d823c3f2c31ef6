// Failures of an object store, simulated by a proxy in front of a real one.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import {
  adoptAll,
  listStoredFiles,
  openTestObjectStore,
  patternBytes,
  readBlob,
  writeBlob,
  type TestStore,
} from '../../../../tests/support/blobs.ts';
import { isLongRun } from '../../../../tests/support/long-tests.ts';
import { startFaultyS3, type Fault, type FaultyS3, type S3Call } from '../../../../tests/support/faulty-s3.ts';
import { sharedS3, versitygw } from '../../../../tests/support/versitygw.ts';
import { testWith } from '../../../../tests/support/tools.ts';
import { openNewSqlite } from '../../../../tests/support/databases.ts';
import type { AppError } from '../../../kernel/errors.ts';
import { besideName } from '../beside-names.ts';

const mebibyte = 1024 * 1024;
/** Sizes that lead to a pack, a single object, and parts; `npm test` covers parts by the file in two chunks. */
const sizes = [5_000, 3 * mebibyte, ...(isLongRun ? [30 * mebibyte] : [])];

type Faulty = TestStore & { proxy: FaultyS3; url: string };

async function openFaulty(t: TestContext): Promise<Faulty> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-faults-'));
  const db = await openNewSqlite(join(folder, 'tilth.db'));
  const proxy = await startFaultyS3(t, (await sharedS3()).endpoint);
  const opened = await openTestObjectStore(t, { db, endpoint: proxy.endpoint, sweepDelayMs: 3_600_000 });
  t.after(async () => {
    await db.close();
    await rm(folder, { recursive: true });
  });
  return { ...opened, url: opened.url, proxy };
}

/** Writes blobs of all sizes, and a file in two chunks. */
async function writeAll({ store, db }: TestStore): Promise<void> {
  for (const [index, size] of sizes.entries()) {
    const blob = await writeBlob(store, patternBytes(index, size), 500_000);
    await adoptAll(store, db, [blob]);
    assert.ok((await readBlob(store, blob.id)).equals(patternBytes(index, size)), `${size} bytes`);
  }
  const chunks = [patternBytes(7, 9 * mebibyte), patternBytes(8, 100_000)];
  const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: 9 * mebibyte });
  for (const [index, bytes] of chunks.entries()) {
    const writer = await assembly.openChunk(index + 1, bytes.length);
    await writer.write(bytes);
    assert.equal(await writer.finish(), 'received');
  }
  const staged = await assembly.seal();
  await adoptAll(store, db, [staged]);
  assert.ok((await readBlob(store, staged.id)).equals(Buffer.concat(chunks)));
}

const isRead = ({ method }: S3Call): boolean => method === 'GET';
const isWrite = ({ method }: S3Call): boolean => method === 'PUT' || method === 'POST';

const passing: Record<string, { applies(call: S3Call): boolean; fault: Fault }> = {
  'an answer of 500': { applies: () => true, fault: { kind: 'status', status: 500, code: 'InternalError' } },
  'a request to slow down': { applies: () => true, fault: { kind: 'status', status: 503, code: 'SlowDown' } },
  'an answer that is lost after the work was done': { applies: isWrite, fault: { kind: 'lost-answer' } },
  'an answer that is cut': { applies: isRead, fault: { kind: 'cut', afterBytes: 1000 } },
  silence: { applies: (call) => call.query.has('partNumber') || isRead(call), fault: { kind: 'silence' } },
};

for (const [name, { applies, fault }] of Object.entries(passing)) {
  testWith([versitygw], `${name} is passed over: nothing is lost, and nothing is stored twice`, async (t) => {
    const opened = await openFaulty(t);
    const met = new Set<string>();
    let faults = 0;
    // Fails the first call of each kind to each object, but only one of several parts: a short disturbance, not an outage.
    opened.proxy.decide = (call) => {
      const key = `${call.method} ${call.path.split('/')[3] ?? ''} ${[...call.query.keys()].join()}`;
      if (!applies(call) || met.has(key)) return undefined;
      met.add(key);
      faults += 1;
      return fault;
    };
    await writeAll(opened);
    assert.ok(faults >= 3, `${faults} faults`);
    const objects = await opened.db.read.selectFrom('blobs').select('object_id').execute();
    const stored = (await listStoredFiles(opened.directory)).map((path) => path.split('/').at(-1));
    assert.deepEqual(new Set(stored), new Set(objects.map((row) => row.object_id)));
    assert.equal(stored.length, sizes.length + 1);
  });
}

testWith([versitygw], 'an ETag that means nothing does no harm: the list of parts counts', async (t) => {
  const opened = await openFaulty(t);
  opened.proxy.decide = (call) => (call.query.has('partNumber') ? { kind: 'garbage-etag' } : undefined);
  await writeAll(opened);
});

testWith([versitygw], 'an outage is told with a code, costs nothing that was acknowledged, and passes', async (t) => {
  const opened = await openFaulty(t);
  const { store, db, proxy } = opened;
  const kept = await writeBlob(store, patternBytes(1, 5000));
  await adoptAll(store, db, [kept]);
  const size = 6 * mebibyte;
  const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: size });
  const send = async (chunkNo: number): Promise<string> => {
    const writer = await assembly.openChunk(chunkNo, size);
    await writer.write(patternBytes(chunkNo, size));
    return writer.finish();
  };
  assert.equal(await send(1), 'received');

  proxy.decide = () => ({ kind: 'status', status: 503, code: 'SlowDown' });
  const isTold = (error: unknown): boolean => (error as AppError).code === 'OBJECT_STORE_UNAVAILABLE';
  const lost = [await writeBlob(store, patternBytes(2, 100)), await writeBlob(store, patternBytes(3, 2 * mebibyte))];
  await assert.rejects(store.flush(), isTold);
  for (const blob of lost) {
    await assert.rejects(
      db.write((tx) => store.adopt(tx, [blob])),
      { kind: 'unavailable' },
    );
  }
  await store.settle(lost);
  await assert.rejects(send(2), isTold);
  await assert.rejects(readBlob(store, kept.id), isTold);

  proxy.decide = () => ({ kind: 'status', status: 403, code: 'InvalidAccessKeyId' });
  await assert.rejects(readBlob(store, kept.id), {
    code: 'OBJECT_STORE_REFUSED',
    params: { problem: 'InvalidAccessKeyId' },
  });

  proxy.decide = () => undefined;
  assert.ok((await readBlob(store, kept.id)).equals(patternBytes(1, 5000)));
  assert.equal(await send(2), 'received');
  const staged = await assembly.seal();
  const late = await writeBlob(store, patternBytes(4, 100));
  await adoptAll(store, db, [staged, late]);
  assert.ok((await readBlob(store, staged.id)).equals(Buffer.concat([patternBytes(1, size), patternBytes(2, size)])));
});

testWith([versitygw], 'an object is never overwritten, and one that is there already is compared', async (t) => {
  const { store, db, proxy } = await openFaulty(t);
  // The same object is written twice, because the first reply is lost.
  let lost = 0;
  proxy.decide = (call) =>
    call.path.includes('/packs/') && isWrite(call) && lost++ === 0 ? { kind: 'lost-answer' } : undefined;
  const blob = await writeBlob(store, patternBytes(1, 4000));
  await adoptAll(store, db, [blob]);
  assert.equal(lost, 2);
  assert.ok((await readBlob(store, blob.id)).equals(patternBytes(1, 4000)));
});

testWith([versitygw], 'copies for readers that need a path are bounded, shared, and erased', async (t) => {
  const { store, db } = await openFaulty(t).then((opened) => opened.reopen({ scratchMaxBytes: 5 * mebibyte }));
  const blobs = [];
  for (const number of [1, 2]) blobs.push(await writeBlob(store, patternBytes(number, 4 * mebibyte), mebibyte));
  await adoptAll(store, db, blobs);
  const [one, two] = blobs.map(({ id }) => id);
  assert.ok(one !== undefined && two !== undefined);
  const held = await store.localPath(one);
  const again = await store.localPath(one, [{ from: mebibyte, to: 2 * mebibyte }]);
  assert.equal(again.path, held.path, 'the copy is shared');
  assert.ok((await readFile(held.path)).equals(patternBytes(1, 4 * mebibyte)));
  await assert.rejects(store.localPath(two), { code: 'STORAGE_SCRATCH_FULL' });
  const part = await store.localPath(two, [{ from: 3 * mebibyte, to: 3 * mebibyte + 1000 }]);
  const bytes = (await readFile(part.path)).subarray(part.offset + 3 * mebibyte);
  assert.ok(bytes.equals(patternBytes(2, 4 * mebibyte).subarray(3 * mebibyte, 3 * mebibyte + 1000)));
  await part.release();
  await held.release();
  await again.release();
  const whole = await store.localPath(two);
  assert.ok((await readFile(whole.path)).equals(patternBytes(2, 4 * mebibyte)), 'made room for');
  await assert.rejects(readFile(held.path), { code: 'ENOENT' });
  await whole.release();
  const folder = join(whole.path, '..');
  await store.close();
  await assert.rejects(readdir(folder), { code: 'ENOENT' });
});

testWith([versitygw], 'a chunk given up, or dropped with its upload, leaves nothing', async (t) => {
  const { store, directory } = await openFaulty(t);
  const assembly = await store.createAssembly({ totalChunks: 2, chunkSizeBytes: null });
  for (const size of [1000, 30 * mebibyte]) {
    const writer = await assembly.openChunk(1);
    await writer.write(patternBytes(1, size));
    await writer.abort();
  }
  assert.deepEqual(await listStoredFiles(directory), []);
  const kept = await assembly.openChunk(2);
  await kept.write(patternBytes(2, 1000));
  await kept.finish();
  const names = await listStoredFiles(directory);
  assert.equal(names.length, 1);
  assert.ok(names[0]?.startsWith(join('beside', besideName(assembly.id, 2, 0).slice(0, -1))));
  await store.dropAssemblies([assembly.id]);
  assert.deepEqual(await listStoredFiles(directory), []);
});

testWith([versitygw], 'a process that ends soon erases nothing that another one has to know of', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-sweeps-'));
  const db = await openNewSqlite(join(folder, 'tilth.db'));
  const soon = { sweepDelayMs: 10, sweepIntervalMs: 20 };
  const driver = await openTestObjectStore(t, { db, sweeps: false, ...soon });
  t.after(async () => {
    await db.close();
    await rm(folder, { recursive: true });
  });
  const blob = await writeBlob(driver.store, patternBytes(1, 3 * mebibyte), 500_000);
  await adoptAll(driver.store, db, [blob]);
  await db.write((tx) => driver.store.release(tx, [blob.id]));
  await pause(300);
  assert.equal((await driver.store.find(blob.id))?.id, blob.id);
  assert.equal((await listStoredFiles(driver.directory, 'files')).length, 1);
  const { store, directory } = await driver.reopen({ sweeps: true });
  for (let looks = 0; (await listStoredFiles(directory, 'files')).length > 0; looks += 1) {
    assert.ok(looks < 500, 'the bytes are still there');
    await pause(20);
  }
  assert.equal(await store.find(blob.id), undefined);
});
