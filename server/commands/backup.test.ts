// A backup is restored to what it was, and what can't be done is said in one line.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFile, cp, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { mayMount, mountSmallDisk } from '../../tests/faults/small-disk.ts';
import { newFolder, runOver, succeed, urlOf, startNew } from '../../tests/support/backups.ts';
import { patternBytes } from '../../tests/support/blobs.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { createPostgresDatabase, postgres } from '../../tests/support/postgres.ts';
import { startApp, type RunningApp } from '../../tests/support/server.ts';
import { digestsOf, putFiles } from '../../tests/support/stored-files.ts';
import { isMissingFile } from '../storage/blobs/index.ts';
import type { DatabaseOptions } from '../storage/database/database.ts';
import { longTest, longTestWith } from '../../tests/support/long-tests.ts';

const data = '/data-management/datasets';

async function sizesIn(folder: string): Promise<number[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = files.map(async ({ parentPath, name }) => {
    try {
      return [(await stat(join(parentPath, name))).size];
    } catch (error) {
      // The file was deleted meanwhile, for example by a purge.
      if (isMissingFile(error)) return [];
      throw error;
    }
  });
  return (await Promise.all(sizes)).flat();
}

/** An empty database of the same kind, for a restore. */
async function emptyDatabase(t: TestContext, options: DatabaseOptions): Promise<string | undefined> {
  if (!('url' in options)) return undefined;
  const { url, drop } = await createPostgresDatabase();
  t.after(drop);
  return url;
}

async function startRestored(t: TestContext, dataDir: string, url: string | undefined): Promise<RunningApp> {
  return startApp(t, { dataDir, ...(url === undefined ? {} : { database: { url } }) });
}

forAnyDatabase('a backup beside the running service is restored to what it was', async (t, _open, options) => {
  const root = await newFolder(t);
  const into = join(root, 'backups');
  const url = urlOf(options);
  const dataDir = join(root, 'data');
  const app = await startNew(t, dataDir, url);
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'kept', type: 'TEXT', tags: ['a'] });
  const files = {
    'a/one.txt': patternBytes(1, 3000),
    'large.bin': patternBytes(2, 3_000_000),
    'empty.txt': Buffer.alloc(0),
  };
  const [, large] = await putFiles(app, dataset.id, files);
  const key = (await app.api<{ key: string }>('POST', '/auth/api-keys', { name: 'machine' })).body.key;
  const announced = { totalFileNum: 1, totalSize: 300_000, chunkSize: 100_000 };
  const upload = `${data}/${dataset.id}/files/upload`;
  const { body: reqId } = await app.api<string>('POST', `${upload}/pre-upload`, announced);
  const sendChunk = async (target: RunningApp, chunkNo: number): Promise<number> => {
    const form = new FormData();
    const fields = { reqId, fileNo: 1, fileName: 'half.bin', totalChunkNum: 3, chunkNo };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob([Uint8Array.from(patternBytes(chunkNo, 100_000))]), 'blob');
    return (await target.api('POST', `${upload}/chunk`, form)).status;
  };
  for (const chunkNo of [1, 3]) assert.equal(await sendChunk(app, chunkNo), 200);

  const first = await succeed(['backup', into], dataDir, url);
  assert.match(
    first,
    /of these 2 blobs, 3003000 bytes are new\nresult +complete; new bytes checked, use --check to check all\n$/,
  );
  const before = await digestsOf(app, dataset.id);

  await putFiles(app, dataset.id, { 'later.txt': patternBytes(5, 4000), 'later.bin': patternBytes(6, 1_500_000) });
  assert.equal((await app.api('DELETE', `${data}/${dataset.id}/files/${large}?purge=true`)).status, 204);
  const second = await succeed(['backup', into, '--check'], dataDir, url);
  assert.match(second, /of these 2 blobs, 1504000 bytes are new\n/, 'only what came since');
  const after = await digestsOf(app, dataset.id);
  // Its bytes are deleted soon after the purge, but not during a backup.
  const deadline = performance.now() + 60_000;
  while ((await sizesIn(join(dataDir, 'blobs', 'files'))).includes(3_000_000)) {
    assert.ok(performance.now() < deadline, 'the purged bytes are still there');
    await pause(50);
  }
  await app.close();

  const names = (await succeed(['restore', into, '--list'], join(root, 'unused'))).trim().split('\n');
  assert.equal(names.length, 2);
  const [oldest = ''] = names.map((line) => line.split(' ')[0]);
  const secrets = await readdir(into, { recursive: true });
  assert.deepEqual(
    secrets.filter((path) => path.includes('key')),
    [],
    'no key is in a backup',
  );

  await t.test('the newest', async () => {
    const target = join(root, 'restored');
    const database = await emptyDatabase(t, options);
    await succeed(['restore', into], target, database);
    assert.match(await succeed(['verify'], target, database), /result +no problems\n$/);
    await copyFile(join(dataDir, 'secrets.key'), join(target, 'secrets.key'));
    const restored = await startRestored(t, target, database);
    assert.deepEqual(await digestsOf(restored, dataset.id), after);
    const byKey = await fetch(`${restored.url}/api/v1/data-management/datasets`, { headers: { 'X-API-Key': key } });
    assert.equal(byKey.status, 200);
    const { body } = await restored.api<{ files: { missingChunks?: number[] }[] }>('GET', `${upload}/${reqId}`);
    assert.match(JSON.stringify(body), /half\.bin/);
    assert.equal(await sendChunk(restored, 2), 200);
    assert.equal(Object.keys(await digestsOf(restored, dataset.id)).includes('half.bin'), true, JSON.stringify(body));
    await succeed(['backup', into], target, database);
    await restored.close();
  });

  await t.test('an older one, of which something was purged since', async () => {
    const target = join(root, 'older');
    const database = await emptyDatabase(t, options);
    await succeed(['restore', into, '--backup', oldest], target, database);
    await copyFile(join(dataDir, 'secrets.key'), join(target, 'secrets.key'));
    const restored = await startRestored(t, target, database);
    assert.deepEqual(await digestsOf(restored, dataset.id), before);
    await restored.close();
  });

  await t.test('bytes that no backup holds any more go', async () => {
    const fileCount = async () => (await readdir(join(into, 'blobs', 'files'), { recursive: true })).length;
    const count = await fileCount();
    await succeed(['backup', into, '--keep', '1'], dataDir, url);
    assert.equal((await readdir(join(into, 'snapshots'))).length, 1);
    assert.ok((await fileCount()) < count);
  });

  await t.test('a damaged backup is not restored as if it were whole', async () => {
    const packs = join(into, 'blobs', 'packs');
    for (const name of await readdir(packs)) {
      const file = await open(join(packs, name), 'r+');
      await file.write(Buffer.alloc((await file.stat()).size, 7), 0);
      await file.close();
    }
    const target = join(root, 'damaged');
    const database = await emptyDatabase(t, options);
    const { code, stdout, stderr } = await runOver(['restore', into], target, database);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^tilth: The backup \S+ is damaged: blob \S+ is damaged; restore another one/);
    const serve = await runOver(['serve'], target, database);
    assert.equal(serve.code, 1);
    assert.match(serve.stderr, /^tilth: A restore into \S+ was not finished; run it again/m);
  });
});

longTestWith([postgres], 'a backup of one kind of database is restored into the other', async (t) => {
  const root = await newFolder(t);
  const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: '你好', type: 'TEXT' });
  await putFiles(app, dataset.id, { 'ä/一.txt': patternBytes(1, 3000), 'large.bin': patternBytes(2, 2_000_000) });
  const before = await digestsOf(app, dataset.id);
  await succeed(['backup', join(root, 'one')], app.dataDir);
  await app.close();

  const { url, drop } = await createPostgresDatabase();
  t.after(drop);
  await succeed(['restore', join(root, 'one')], join(root, 'grown'), url);
  await assert.rejects(startRestored(t, join(root, 'grown'), url), /set TILTH_SECRETS_KEY to the value/);
  await copyFile(join(root, 'data', 'secrets.key'), join(root, 'grown', 'secrets.key'));
  const grown = await startRestored(t, join(root, 'grown'), url);
  assert.deepEqual(await digestsOf(grown, dataset.id), before);
  await succeed(['backup', join(root, 'two')], grown.dataDir, url);
  await grown.close();
  const again = await runOver(['restore', join(root, 'one')], join(root, 'again'), url);
  assert.match(again.stderr, /^tilth: The database of TILTH_DATABASE_URL is not empty/);

  await succeed(['restore', join(root, 'two')], join(root, 'back'));
  assert.match(await succeed(['verify'], join(root, 'back')), /no problems/);
  const back = await startRestored(t, join(root, 'back'), undefined);
  assert.deepEqual(await digestsOf(back, dataset.id), before);
});

test('what can not be is one line', async (t) => {
  const root = await newFolder(t);
  const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
  const other = await startApp(t, { dataDir: join(root, 'other') });
  const into = join(root, 'backups');
  await succeed(['backup', into], app.dataDir);
  await mkdir(join(root, 'full'));
  await writeFile(join(root, 'full', 'notes.txt'), '');
  const cases: readonly (readonly [args: string[], dataDir: string, message: RegExp])[] = [
    [['backup'], app.dataDir, /exactly one folder of backups is required/],
    [['backup', into, '--keep', '0'], app.dataDir, /--keep must be an integer/],
    [['backup', into], join(root, 'nowhere'), /There is no data folder .*nowhere/],
    [['backup', join(app.dataDir, 'x')], app.dataDir, /can not stand in the data folder itself/],
    [['backup', into], other.dataDir, /holds backups of another data folder/],
    [['restore', join(root, 'nothing')], join(root, 'new'), /There is no complete backup in/],
    [['restore', into, '--backup', 'x'], join(root, 'new'), /There is no backup x in/],
    [['restore', into], join(root, 'full'), /is not empty \(notes\.txt\)/],
    [['restore', into], app.dataDir, /is not empty/],
  ];
  for (const [args, dataDir, message] of cases) {
    const { code, stdout, stderr } = await runOver(args, dataDir);
    assert.deepEqual([code, stdout], [2, ''], `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  }
  assert.equal((await succeed(['restore', into, '--list'], app.dataDir)).trim().split('\n').length, 1);
});

test(
  'a full disk under the backup leaves the earlier one',
  { skip: !mayMount() && 'needs the right to mount a file system (root)' },
  async (t) => {
    const mounted: string[] = [];
    const root = await newFolder(t, mounted);
    const disk = join(root, 'disk');
    await mountSmallDisk({ after: () => void mounted.push(disk) }, disk, 'size=12m');
    const into = join(disk, 'backups');
    const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
    const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'grows', type: 'TEXT' });
    await putFiles(app, dataset.id, { 'a.bin': patternBytes(1, 2_000_000) });
    await succeed(['backup', into], app.dataDir);
    const before = await digestsOf(app, dataset.id);
    await putFiles(app, dataset.id, { 'b.bin': patternBytes(2, 20_000_000) });
    const { code, stderr } = await runOver(['backup', into], app.dataDir);
    assert.equal(code, 2);
    assert.match(stderr, /^tilth: the disk is full .*; earlier backups are unchanged\n$/);
    await succeed(['restore', into], join(root, 'restored'));
    const restored = await startApp(t, { dataDir: join(root, 'restored') });
    assert.deepEqual(await digestsOf(restored, dataset.id), before);
  },
);

longTest(
  'verify reads a folder that nobody can write to, log of the database and all',
  { skip: !mayMount() && 'needs the right to mount a file system (root)' },
  async (t) => {
    const mounted: string[] = [];
    const root = await newFolder(t, mounted);
    const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
    const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'seen', type: 'TEXT' });
    await putFiles(app, dataset.id, { 'a.bin': patternBytes(1, 2_000_000), 'b.txt': patternBytes(2, 2000) });
    // Mimics a disk snapshot of a running service, with commits that are still in the log.
    const snapshot = join(root, 'snapshot');
    await cp(app.dataDir, snapshot, { recursive: true });
    await rm(join(snapshot, 'tilth.db-shm'));
    assert.ok((await stat(join(snapshot, 'tilth.db-wal'))).size > 0);
    execFileSync('mount', ['--bind', snapshot, snapshot]);
    mounted.push(snapshot);
    execFileSync('mount', ['-o', 'remount,bind,ro', snapshot]);
    const { code, stdout, stderr } = await runOver(['verify'], snapshot);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^verified +2 blobs[^]*no problems\n$/);
    assert.match(stderr, /^The data folder is not writable; its database is read from a temporary copy in (\S+)\n$/);
    const copy = /copy in (\S+)\n/.exec(stderr)?.[1] ?? '';
    await assert.rejects(readFile(copy), { code: 'ENOENT' });
  },
);
