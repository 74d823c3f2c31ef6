import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listStoredFiles, patternBytes } from '../../tests/support/blobs.ts';
import { runCommandHere } from '../../tests/support/commands-here.ts';
import { startFaultyS3 } from '../../tests/support/faulty-s3.ts';
import { createPostgresDatabase, postgres } from '../../tests/support/postgres.ts';
import type { Api } from '../../tests/support/api.ts';
import { runCommand, startApp } from '../../tests/support/server.ts';
import { digestsOf, putFiles } from '../../tests/support/stored-files.ts';
import { testWith } from '../../tests/support/tools.ts';
import { credentialsOf, sharedS3, versitygw } from '../../tests/support/versitygw.ts';
import { listTableNames } from '../storage/backup/queries/tables.ts';
import { openPostgresReadOnly } from '../storage/database/postgres/postgres.ts';
import { longTestWith } from '../../tests/support/long-tests.ts';

const data = '/data-management/datasets';

type Settings = Record<string, string>;

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-move-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Settings for an empty folder in a bucket. */
async function newStorage(): Promise<Settings> {
  const server = await sharedS3();
  Object.assign(process.env, credentialsOf(server));
  return {
    TILTH_STORAGE_URL: `s3://${server.bucket}/move-${randomUUID()}`,
    TILTH_STORAGE_ENDPOINT: server.endpoint,
  };
}

async function newDatabase(t: TestContext): Promise<Settings> {
  const { url, drop } = await createPostgresDatabase();
  t.after(drop);
  return { TILTH_DATABASE_URL: url };
}

async function migrate(dataDir: string, settings: Settings): Promise<{ code: number; out: string; err: string }> {
  const { code, stdout, stderr } = await runCommandHere(['migrate-to'], { TILTH_DATA_DIR: dataDir, ...settings });
  return { code, out: stdout, err: stderr };
}

/** The message with which a service refuses to start with these settings. */
async function refusal(dataDir: string, settings: Settings): Promise<string> {
  const command = runCommand(['serve'], { TILTH_DATA_DIR: dataDir, TILTH_PORT: '0', ...settings });
  assert.equal(await command.exited, 1);
  return command.output.stderr;
}

const files = {
  'a/one.txt': patternBytes(1, 3000),
  'a/two.txt': patternBytes(2, 90_000),
  'large.bin': patternBytes(3, 19_000_000),
  'middle.bin': patternBytes(4, 1_500_000),
  'empty.txt': Buffer.alloc(0),
};

/** SHA-256 of the half-uploaded file once complete. */
const half = createHash('sha256')
  .update(Buffer.concat([1, 2, 3].map((chunkNo) => patternBytes(chunkNo, 100_000))))
  .digest('hex');

/** Fills a folder with an installation: files, a purged file, a half-finished upload and a key. */
async function plant(t: TestContext, dataDir: string) {
  const service = await startApp(t, { dataDir, isPrepared: true });
  const { body: dataset } = await service.api<{ id: string }>('POST', data, { name: 'kept', type: 'TEXT' });
  await putFiles(service, dataset.id, files);
  await putFiles(service, dataset.id, { 'later.txt': patternBytes(5, 4000) });
  const announced = { totalFileNum: 1, totalSize: 300_000, chunkSize: 100_000 };
  const upload = `${data}/${dataset.id}/files/upload`;
  const { body: reqId } = await service.api<string>('POST', `${upload}/pre-upload`, announced);
  const send = async (to: Api, chunkNo: number): Promise<number> => {
    const form = new FormData();
    const fields = { reqId, fileNo: 1, fileName: 'half.bin', totalChunkNum: 3, chunkNo };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob([Uint8Array.from(patternBytes(chunkNo, 100_000))]), 'blob');
    return (await to.api('POST', `${upload}/chunk`, form)).status;
  };
  for (const chunkNo of [1, 3]) assert.equal(await send(service, chunkNo), 200);
  const { key } = (await service.api<{ key: string }>('POST', '/auth/api-keys', { name: 'machine' })).body;
  const before = await digestsOf(service, dataset.id);
  await service.close();
  return { dataset, before, send, key };
}

testWith([versitygw, postgres], 'an installation goes to PostgreSQL and an object store, and on there', async (t) => {
  const dataDir = await newFolder(t);
  const { dataset, before, send, key } = await plant(t, dataDir);
  const settings = { ...(await newStorage()), ...(await newDatabase(t)) };

  const moved = await migrate(dataDir, settings);
  assert.deepEqual([moved.code, moved.err], [0, ''], moved.out);
  assert.match(moved.out, /^objects +3 with 20597\d{3} bytes copied to s3:\/\/\S+, 0 were already there\n/);
  assert.match(moved.out, /\nrows +copied to the database of TILTH_DATABASE_URL\n/);
  assert.match(moved.out, /\nuploads +2 parts of unfinished uploads must be sent again\n/);
  assert.match(
    moved.out,
    /\nnext +start the service with these settings and this data folder; \S+blobs is no longer used\n$/,
  );
  assert.deepEqual((await readdir(dataDir)).filter((name) => name.startsWith('mov')).sort(), ['moved-to-postgresql']);

  // No service starts on the rows left behind.
  assert.match(
    await refusal(dataDir, {}),
    /^tilth: the rows of .* went to a PostgreSQL database on \S+: set TILTH_DATABASE_URL/m,
  );
  const again = await migrate(dataDir, settings);
  assert.deepEqual([again.code, again.err], [0, ''], again.out);
  assert.match(again.out, /^rows +had already been copied/);

  await rm(join(dataDir, 'blobs'), { recursive: true });
  const service = await startApp(t, { dataDir, settings });
  assert.deepEqual(await digestsOf(service, dataset.id), before);
  const { status } = await service.api('GET', data, undefined, { authorization: `Bearer ${key}` });
  assert.equal(status, 200, 'keys go on');
  for (const chunkNo of [1, 2, 3]) assert.equal(await send(service, chunkNo), 200);
  const after = await digestsOf(service, dataset.id);
  await service.close();
  assert.deepEqual(after, { ...before, 'half.bin': half });
});

longTestWith([postgres], 'the rows alone go to PostgreSQL, and the bytes stay in the folder', async (t) => {
  const dataDir = await newFolder(t);
  const { dataset, before, send } = await plant(t, dataDir);
  const settings = await newDatabase(t);
  // After being killed with the first tables in place, the same command can still use the same database.
  const killed = runCommand(['migrate-to'], { TILTH_DATA_DIR: dataDir, ...settings });
  const reader = openPostgresReadOnly(settings['TILTH_DATABASE_URL'] ?? '');
  while ((await listTableNames(reader.read)).length === 0) await pause(1);
  killed.child.kill('SIGKILL');
  await killed.exited;
  await reader.close();
  const moved = await migrate(dataDir, settings);
  assert.deepEqual([moved.code, moved.err], [0, ''], moved.out);
  assert.match(moved.out, /^rows +copied/);
  const service = await startApp(t, { dataDir, settings });
  assert.deepEqual(await digestsOf(service, dataset.id), before);
  assert.equal(await send(service, 2), 200);
  const after = await digestsOf(service, dataset.id);
  // Stopped here because its database is dropped with the test.
  await service.close();
  assert.deepEqual(after, { ...before, 'half.bin': half }, 'received parts count');
});

longTestWith([versitygw], 'the bytes alone go to an object store; killed in the middle, it goes on', async (t) => {
  const dataDir = await newFolder(t);
  const { dataset, before } = await plant(t, dataDir);
  const settings = await newStorage();
  const faulty = await startFaultyS3(t, settings['TILTH_STORAGE_ENDPOINT'] ?? '');
  // The large file hangs, while the other objects arrive.
  faulty.decide = ({ query }) => (query.has('partNumber') ? { kind: 'silence' } : undefined);
  const command = runCommand(['migrate-to'], {
    TILTH_DATA_DIR: dataDir,
    ...settings,
    TILTH_STORAGE_ENDPOINT: faulty.endpoint,
  });
  const server = await sharedS3();
  const bucketFolder = join(server.folder, (settings['TILTH_STORAGE_URL'] ?? '').split('/').at(-1) ?? '');
  const isStored = async (): Promise<boolean> =>
    (await listStoredFiles(bucketFolder, 'packs')).length === 1 &&
    (await listStoredFiles(bucketFolder, 'files')).length === 1;
  while (!(await isStored().catch(() => false))) await pause(20);
  command.child.kill('SIGKILL');
  await command.exited;

  // The folder is still the installation, and a service can continue on it.
  const between = await startApp(t, { dataDir });
  assert.deepEqual(await digestsOf(between, dataset.id), before);
  await putFiles(between, dataset.id, { 'between.txt': patternBytes(7, 5000) });
  await between.close();

  const moved = await migrate(dataDir, settings);
  assert.deepEqual([moved.code, moved.err], [0, ''], moved.out);
  // The 1.5 MB file was already copied; a pack that has grown is copied again.
  assert.match(moved.out, /^objects +2 with \d+ bytes copied to s3:\/\/\S+, 1 were already there\n/);
  assert.match(await refusal(dataDir, {}), /^tilth: the files of this installation are in s3:/m);
  const service = await startApp(t, { dataDir, settings });
  const last = createHash('sha256').update(patternBytes(7, 5000)).digest('hex');
  assert.deepEqual(await digestsOf(service, dataset.id), { ...before, 'between.txt': last });
});

testWith([versitygw, postgres], 'where it can not move, it says why and changes nothing', async (t) => {
  const dataDir = await newFolder(t);
  assert.deepEqual(await migrate(dataDir, {}), {
    code: 2,
    out: '',
    err: 'tilth: no destination: set TILTH_DATABASE_URL, TILTH_STORAGE_URL or both; see migrate-to --help\n',
  });
  const storage = await newStorage();
  const nothing = await migrate(dataDir, storage);
  assert.equal(nothing.code, 2);
  assert.match(nothing.err, /^tilth: there is no embedded installation in .* \(no tilth\.db\)/);

  const service = await startApp(t, { dataDir });
  const { body: dataset } = await service.api<{ id: string }>('POST', data, { name: 'kept', type: 'TEXT' });
  await putFiles(service, dataset.id, files);
  const running = await migrate(dataDir, storage);
  assert.equal(running.code, 2);
  assert.match(running.err, /^tilth: The data folder .* is in use by another running service/);
  await service.close();

  const taken = await newStorage();
  const other = await startApp(t, { settings: taken });
  await other.close();
  const foreign = await migrate(dataDir, taken);
  assert.equal(foreign.code, 2);
  assert.match(foreign.err, /^tilth: s3:\/\/.* belongs to another installation\n$/);

  const used = await newDatabase(t);
  const second = await startApp(t, { settings: used });
  await second.close();
  const full = await migrate(dataDir, { ...storage, ...used });
  assert.equal(full.code, 2);
  assert.match(
    full.err,
    /^tilth: the database of TILTH_DATABASE_URL is not empty: make a new one and move into that\n$/,
  );

  const env = { TILTH_DATA_DIR: dataDir, ...storage, AWS_SECRET_ACCESS_KEY: 'wrong' };
  const wrong = runCommand(['migrate-to'], env);
  assert.equal(await wrong.exited, 2);
  assert.match(wrong.output.stderr, /^tilth: the object store of TILTH_STORAGE_URL refuses this service/);

  // The original was not changed: it still starts, and its damage is reported by a move.
  const untouched = await startApp(t, { dataDir });
  assert.equal(Object.keys(await digestsOf(untouched, dataset.id)).length, 5);
  await untouched.close();
  const [large = ''] = (await listStoredFiles(join(dataDir, 'blobs'), 'files')).toSorted();
  await rm(join(dataDir, 'blobs', large));
  await appendFile(join(dataDir, 'blobs', large), 'weeds');
  const damaged = await migrate(dataDir, storage);
  assert.equal(damaged.code, 1, damaged.err);
  assert.match(damaged.out, /\ndamaged +1 files of the data folder are missing or too short\n/);
  assert.match(damaged.out, /large\.bin|middle\.bin/);
});
