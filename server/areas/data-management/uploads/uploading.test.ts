import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openSetting, openUploading, chunkFields } from '../../../../tests/support/uploading.ts';
import type { AppError } from '../../../kernel/errors.ts';
import { openBlobStore } from '../../../storage/blobs/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import { createFileCommits } from '../files/file-commits.ts';
import { createUploadExpiry } from './upload-expiry.ts';
import { createUploadSessions } from './upload-sessions.ts';
import { defaultUploadSettings } from '../upload-settings.ts';
import { createUploading } from './uploading.ts';

const large = Buffer.alloc(300_000, 'large ');

const digests: Record<string, string> = {
  'CRC-32': crc32(large).toString(16).padStart(8, '0'),
  MD5: createHash('md5').update(large).digest('hex'),
  'SHA-1': createHash('sha1').update(large).digest('hex').toUpperCase(),
  'SHA-256': createHash('sha256').update(large).digest('hex'),
};

test('a checksum is checked wherever it stands in the form of a large chunk', async (t) => {
  const { announce, send } = await openUploading(t);
  const reqId = await announce({});
  let fileNo = 0;
  for (const [kind, checkSumHex] of Object.entries(digests)) {
    const wrong = checkSumHex.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    for (const total of [1, 2]) {
      const form = () => chunkFields(reqId, fileNo, 1, total);
      const orders: ((sum: string) => Record<string, string | number | Buffer>)[] = [
        (sum) => ({ ...form(), checkSumHex: sum, file: large }),
        (sum) => ({ ...form(), file: large, checkSumHex: sum }),
        (sum) => ({ file: large, checkSumHex: sum, ...form() }),
      ];
      for (const order of orders) {
        fileNo++;
        await assert.rejects(send(order(wrong)), { code: 'CHECKSUM_MISMATCH' }, kind);
        assert.equal((await send(order(checkSumHex))).receivedChunks, 1, kind);
      }
    }
  }
});

test('a client that turns to late checksums is asked to send once more', async (t) => {
  const { announce, send } = await openUploading(t);
  const reqId = await announce({});
  await send({ ...chunkFields(reqId, 1), file: large });
  const late = { ...chunkFields(reqId, 2), file: large, checkSumHex: digests['SHA-256'] ?? '' };
  await assert.rejects(send(late), { code: 'UNAVAILABLE' });
  assert.equal((await send(late)).fileCompleted, true);
});

test('a file number of which nothing was kept may come again under another name', async (t) => {
  const { announce, send, uploading, datasetId } = await openUploading(t);
  const reqId = await announce({ totalFileNum: 1 });
  const bad = { ...chunkFields(reqId, 5, 1, 3), checkSumHex: '00000000', file: large };
  await assert.rejects(send(bad), { code: 'CHECKSUM_MISMATCH' });
  await assert.rejects(send({ ...chunkFields(reqId, 5), checkSumHex: '00000000', file: large }), {
    code: 'CHECKSUM_MISMATCH',
  });
  const status = await uploading.uploads.status(datasetId, reqId);
  assert.deepEqual([status.incompleteFiles, status.missingFiles, status.receivedBytes], [0, 1, 0]);
  const answer = await send({ ...chunkFields(reqId, 5), fileName: 'other.bin', file: large });
  assert.deepEqual([answer.fileCompleted, answer.uploadCompleted], [true, true]);
});

test('a name that is taken is told before the bytes of a large file have come', async (t) => {
  const { announce, send, uploading, datasetId } = await openUploading(t);
  await send({ ...chunkFields(await announce({}), 1), file: large });
  const reqId = await announce({ onConflict: 'ERROR' });
  for (const total of [1, 3]) {
    const reception = uploading.chunks.receive({ datasetId, charge: () => {} });
    for (const [name, value] of Object.entries(chunkFields(reqId, 1, 1, total))) reception.field(name, String(value));
    await assert.rejects(reception.file({ name: 'file' }, 300_000), { code: 'FILE_ALREADY_EXISTS' });
    await reception.refuse(new Error('told'));
  }
});

test('one file in conflict does not fail the others of its group', async (t) => {
  const { announce, send, db, datasetId } = await openUploading(t);
  const reqId = await announce({ onConflict: 'ERROR' });
  await send({ ...chunkFields(reqId, 0), file: Buffer.from('first') });
  const before = await versionOf(db, datasetId);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      send({
        ...chunkFields(reqId, index + 1),
        fileName: index % 3 === 0 ? '0.bin' : `${index + 1}.bin`,
        file: Buffer.from(`${index}`),
      }),
    ),
  );
  for (const [index, outcome] of outcomes.entries()) {
    assert.equal(outcome.status, index % 3 === 0 ? 'rejected' : 'fulfilled');
    if (outcome.status === 'rejected') assert.equal((outcome.reason as AppError).code, 'FILE_ALREADY_EXISTS');
  }
  assert.equal(await versionOf(db, datasetId), before, 'all files of an upload are in one version');
});

async function versionOf(db: Database, datasetId: string): Promise<number> {
  const { version } = await db.read
    .selectFrom('datasets')
    .select('version')
    .where('id', '=', datasetId)
    .executeTakeFirstOrThrow();
  return version;
}

test('a completion that met a conflict may be tried again when the way is free', async (t) => {
  const { announce, send, uploading, datasetId, db, blobs } = await openUploading(t);
  const reqId = await announce({});
  await send({ ...chunkFields(reqId, 1, 1, 2), fileName: 'a', file: Buffer.from('part ') });
  const other = await announce({});
  const { file } = await send({ ...chunkFields(other, 1), fileName: 'a/b', file: Buffer.from('in the way') });
  const last = { ...chunkFields(reqId, 1, 2, 2), fileName: 'a', file: Buffer.from('two') };
  await assert.rejects(send(last), { code: 'DIRECTORY_ALREADY_EXISTS' });
  await blobs.sweep();
  assert.equal((await uploading.uploads.status(datasetId, reqId)).incomplete[0]?.receivedChunks, 2);
  const commits = createFileCommits({ clock: { now: () => new Date() }, blobs });
  await db.write((tx) => commits.end(tx, { datasetId, by: 'ann', fileIds: [file?.id ?? ''] }));
  const answer = await send(last);
  assert.deepEqual([answer.fileCompleted, answer.file?.fileSize], [true, 8]);
});

forAnyDatabase('idle uploads expire with all they hold, busy ones do not', async (t, openDb) => {
  const { announce, send, uploading, now, datasetId, db, blobs } = await openSetting(t, await openDb());
  const idle = await announce({});
  await send({ ...chunkFields(idle, 1, 1, 2), file: large });
  await send({ ...chunkFields(idle, 2), file: large });
  const busy = await announce({});
  await send({ ...chunkFields(busy, 1, 1, 2), fileName: 'busy.bin', file: large });
  const days = 24 * 3_600_000;
  now.date = new Date(now.date.getTime() + 6 * days);
  await send({ ...chunkFields(busy, 1, 1, 2), fileName: 'busy.bin', file: large });
  now.date = new Date(now.date.getTime() + 2 * days);
  const sessions = createUploadSessions({ db, blobs, clock: { now: () => now.date }, chunkAllowance: true });
  await uploading.stop();
  const expiry = createUploadExpiry({
    db,
    blobs,
    clock: { now: () => now.date },
    sessions,
    settings: defaultUploadSettings,
  });
  assert.equal(await expiry.sweep(), 1);
  await assert.rejects(uploading.uploads.status(datasetId, idle), { code: 'UPLOAD_NOT_FOUND' });
  const status = await uploading.uploads.status(datasetId, busy);
  assert.deepEqual(status.incomplete[0]?.missingChunks, [{ from: 2, to: 2 }]);
  assert.equal(status.expiresAt, '2026-01-14T00:00:00.000Z');
  const rows = await db.read.selectFrom('upload_files').select(['upload_id', 'file_no']).execute();
  assert.deepEqual(rows, [{ upload_id: busy, file_no: 1 }]);
  const assemblies = await db.read.selectFrom('assemblies').select('id').execute();
  assert.equal(assemblies.length, 1);
});

test('the calls that an upload needs are free, more are charged, and so are those of no upload', async (t) => {
  const { announce, send, charged } = await openUploading(t);
  const reqId = await announce({ totalFileNum: 2, totalSize: 2_000_000 });
  const form = { ...chunkFields(reqId, 1, 1, 2), file: Buffer.from('x') };
  for (let call = 0; call < 6; call++) await send(form);
  assert.equal(charged.calls, 0);
  await send(form);
  await assert.rejects(send({ ...form, chunkNo: 'x' }), { code: 'INVALID_PARAMETER' });
  assert.equal(charged.calls, 2);
  await assert.rejects(send({ ...form, reqId: 'unknown' }), { code: 'UPLOAD_NOT_FOUND' });
  await assert.rejects(send({ fileNo: 1 }), { code: 'INVALID_PARAMETER' });
  assert.equal(charged.calls, 4);
});

test('an upload that ends while its chunks are on the way takes no more', async (t) => {
  const { announce, uploading, datasetId } = await openUploading(t);
  for (const total of [1, 2]) {
    const reqId = await announce({});
    const reception = uploading.chunks.receive({ datasetId, charge: () => {} });
    for (const [name, value] of Object.entries(chunkFields(reqId, 1, 1, total))) reception.field(name, String(value));
    const sink = await reception.file({ name: 'file' }, large.length);
    await sink.write(large);
    await uploading.uploads.abandon(datasetId, reqId);
    await assert.rejects(reception.finish(), { code: 'UPLOAD_NOT_FOUND' });
  }
});

test('a file whose last chunk came just before a crash is completed when its client asks', async (t) => {
  const setting = await openUploading(t);
  const { announce, send, uploading, datasetId, db, blobs } = setting;
  const reqId = await announce({ totalFileNum: 1 });
  await send({ ...chunkFields(reqId, 1, 1, 2), file: large });
  await uploading.stop();
  const { assembly_id: assemblyId } = await db.read
    .selectFrom('upload_files')
    .select('assembly_id')
    .executeTakeFirstOrThrow();
  const assembly = await blobs.findAssembly(assemblyId ?? '');
  const writer = await assembly?.openChunk(2);
  await writer?.write(Buffer.from('end'));
  assert.equal(await writer?.finish(), 'received');

  const clock = { now: () => setting.now.date };
  const commits = createFileCommits({ clock, blobs });
  const next = createUploading({ db, blobs, commits, clock, onError: assert.ifError });
  const status = await next.uploads.status(datasetId, reqId);
  assert.deepEqual([status.uploadCompleted, status.completed, status.incomplete], [true, [{ from: 1, to: 1 }], []]);
  await next.stop();
});

test('the lists of a large upload go on where they end', async (t) => {
  const { announce, send, uploading, datasetId } = await openUploading(t);
  const reqId = await announce({ totalFileNum: 1_000 });
  for (let fileNo = 0; fileNo < 450; fileNo += 2)
    await send({ ...chunkFields(reqId, fileNo, 1, 2), file: Buffer.from('x') });
  await send({ ...chunkFields(reqId, 451), file: Buffer.from('x') });
  const seen: number[] = [];
  let completed: unknown[] = [];
  for (let from: number | null = 0; from !== null;) {
    const status = await uploading.uploads.status(datasetId, reqId, from);
    seen.push(...status.incomplete.map((file) => file.fileNo));
    completed = status.completed;
    from = status.nextFileNo;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 225 }, (_, index) => index * 2),
  );
  assert.deepEqual(completed, [{ from: 451, to: 451 }]);
});

forAnyDatabase(
  'of files that are sent at once under one name the last one stands, and each has an answer',
  async (t, open) => {
    const { announce, send, datasetId, db, blobs } = await openSetting(t, await open());
    const reqId = await announce({ totalFileNum: 20 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, fileNo) =>
        send({
          reqId,
          fileNo,
          fileName: 'same.txt',
          totalChunkNum: 1,
          chunkNo: 1,
          file: Buffer.from(`content ${fileNo}`),
        }),
      ),
    );
    assert.ok(answers.every((answer) => answer.fileCompleted));
    const [file, ...others] = await db.read
      .selectFrom('files')
      .selectAll()
      .where('dataset_id', '=', datasetId)
      .where('ended_version', 'is', null)
      .execute();
    assert.deepEqual(others, []);
    const reader = await blobs.open(file?.blob_id ?? '');
    const bytes = Buffer.alloc(100);
    const length = await reader.read(bytes, 0);
    await reader.close();
    assert.match(bytes.subarray(0, length).toString(), /^content \d+$/);
  },
);

forAnyDatabase('an assembly that a crash has left without its file is erased at the next start', async (t, open) => {
  const db = await open();
  const directory = await mkdtemp(join(tmpdir(), 'tilth-uploading-'));
  t.after(() => rm(directory, { recursive: true }));
  const blobs = await openBlobStore({ directory, db });
  t.after(() => blobs.close());
  const made = await blobs.createAssembly({ totalChunks: 2, chunkSizeBytes: null });
  // Ids begin with their time. On a shared database only old ones are erased: another node may be about to write the row of its file.
  const stranded = { id: `00000000${made.id.slice(8)}` };
  await db.write((tx) => tx.updateTable('assemblies').set(stranded).where('id', '=', made.id).execute());
  const setting = await openSetting(t, db);
  const reqId = await setting.announce({});
  await setting.send({ reqId, fileNo: 0, fileName: 'a', totalChunkNum: 2, chunkNo: 1, file: Buffer.from('a') });
  const listAssemblies = () => db.read.selectFrom('assemblies').select('id').execute();
  assert.equal((await listAssemblies()).length, 2);
  setting.uploading.start();
  let left = await listAssemblies();
  while (left.length === 2) {
    await new Promise((resolve) => setImmediate(resolve));
    left = await listAssemblies();
  }
  assert.equal(left.length, 1);
  assert.notEqual(left[0]?.id, stranded.id);
});
