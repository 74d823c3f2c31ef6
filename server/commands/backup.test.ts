import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { crc32 } from 'node:zlib';
import BetterSqlite3 from 'better-sqlite3';
import { mayMount, mountSmallDisk } from '../../tests/faults/small-disk.ts';
import { patternBytes } from '../../tests/support/blobs.ts';
import { runCommandHere } from '../../tests/support/commands-here.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { createPostgresDatabase, postgres } from '../../tests/support/postgres.ts';
import { runCommand, startApp, type RunningApp } from '../../tests/support/server.ts';

import { isMissingFile } from '../storage/blobs/index.ts';
import type { DatabaseOptions } from '../storage/database/database.ts';
import { longTest, longTestWith } from '../../tests/support/long-tests.ts';

const data = '/data-management/datasets';

/** A folder that is deleted with the test, after unmounting what is mounted in it. */
async function newFolder(t: TestContext, mounted: readonly string[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-backup-'));
  t.after(async () => {
    for (const path of mounted) execFileSync('umount', ['--lazy', path]);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

async function run(args: readonly string[], dataDir: string, url?: string) {
  const env = { TILTH_DATA_DIR: dataDir, ...(url === undefined ? {} : { TILTH_DATABASE_URL: url }) };
  if (args[0] !== 'serve') return runCommandHere(args, env);
  const command = runCommand(args, env);
  return { code: await command.exited, ...command.output };
}

async function succeed(args: readonly string[], dataDir: string, url?: string): Promise<string> {
  const { code, stdout, stderr } = await run(args, dataDir, url);
  // On a slow machine the command prints progress lines.
  const problems = stderr.replaceAll(/^\d+ blobs, \d+ MB read.*\n/gm, '');
  assert.deepEqual([code, problems], [0, ''], `${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

async function put({ api }: RunningApp, datasetId: string, files: Record<string, Buffer>): Promise<string[]> {
  const form = new FormData();
  for (const [name, bytes] of Object.entries(files)) form.append('files', new Blob([Uint8Array.from(bytes)]), name);
  const { status, body } = await api<{ id: string }[]>('POST', `${data}/${datasetId}/files/upload`, form);
  assert.equal(status, 201, JSON.stringify(body));
  return body.map((file) => file.id);
}

/** Path → SHA-256 of the bytes served for the current version. */
async function contents({ api }: RunningApp, datasetId: string): Promise<Record<string, string>> {
  const { body } = await api<{ content: { id: string; filePath: string }[] }>(
    'GET',
    `${data}/${datasetId}/files?size=100`,
  );
  const found: Record<string, string> = {};
  for (const { id, filePath } of body.content) {
    const download = await api<Buffer>('GET', `${data}/${datasetId}/files/${id}/download`);
    assert.equal(download.status, 200);
    found[filePath] = createHash('sha256').update(download.body).digest('hex');
  }
  return found;
}

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

function urlOf(options: DatabaseOptions): string | undefined {
  return 'url' in options ? options.url : undefined;
}

/** An empty database of the same kind, for a restore. */
async function emptyDatabase(t: TestContext, options: DatabaseOptions): Promise<string | undefined> {
  if (!('url' in options)) return undefined;
  const { url, drop } = await createPostgresDatabase();
  t.after(drop);
  return url;
}

/** A service over a new folder. */
async function startNew(t: TestContext, dataDir: string, url: string | undefined): Promise<RunningApp> {
  return startApp(t, { dataDir, ...(url === undefined ? { isPrepared: true } : { database: { url } }) });
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
  const [, large] = await put(app, dataset.id, files);
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
  const before = await contents(app, dataset.id);

  await put(app, dataset.id, { 'later.txt': patternBytes(5, 4000), 'later.bin': patternBytes(6, 1_500_000) });
  assert.equal((await app.api('DELETE', `${data}/${dataset.id}/files/${large}?purge=true`)).status, 204);
  const second = await succeed(['backup', into, '--check'], dataDir, url);
  assert.match(second, /of these 2 blobs, 1504000 bytes are new\n/, 'only what came since');
  const after = await contents(app, dataset.id);
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
    assert.deepEqual(await contents(restored, dataset.id), after);
    const byKey = await fetch(`${restored.url}/api/v1/data-management/datasets`, { headers: { 'X-API-Key': key } });
    assert.equal(byKey.status, 200);
    const { body } = await restored.api<{ files: { missingChunks?: number[] }[] }>('GET', `${upload}/${reqId}`);
    assert.match(JSON.stringify(body), /half\.bin/);
    assert.equal(await sendChunk(restored, 2), 200);
    assert.equal(Object.keys(await contents(restored, dataset.id)).includes('half.bin'), true, JSON.stringify(body));
    await succeed(['backup', into], target, database);
    await restored.close();
  });

  await t.test('an older one, of which something was purged since', async () => {
    const target = join(root, 'older');
    const database = await emptyDatabase(t, options);
    await succeed(['restore', into, '--backup', oldest], target, database);
    await copyFile(join(dataDir, 'secrets.key'), join(target, 'secrets.key'));
    const restored = await startRestored(t, target, database);
    assert.deepEqual(await contents(restored, dataset.id), before);
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
    const { code, stdout, stderr } = await run(['restore', into], target, database);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^tilth: The backup \S+ is damaged: blob \S+ is damaged; restore another one/);
    const serve = await run(['serve'], target, database);
    assert.equal(serve.code, 1);
    assert.match(serve.stderr, /^tilth: A restore into \S+ was not finished; run it again/m);
  });
});

longTestWith([postgres], 'a backup of one kind of database is restored into the other', async (t) => {
  const root = await newFolder(t);
  const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: '你好', type: 'TEXT' });
  await put(app, dataset.id, { 'ä/一.txt': patternBytes(1, 3000), 'large.bin': patternBytes(2, 2_000_000) });
  const before = await contents(app, dataset.id);
  await succeed(['backup', join(root, 'one')], app.dataDir);
  await app.close();

  const { url, drop } = await createPostgresDatabase();
  t.after(drop);
  await succeed(['restore', join(root, 'one')], join(root, 'grown'), url);
  await assert.rejects(startRestored(t, join(root, 'grown'), url), /set TILTH_SECRETS_KEY to the value/);
  await copyFile(join(root, 'data', 'secrets.key'), join(root, 'grown', 'secrets.key'));
  const grown = await startRestored(t, join(root, 'grown'), url);
  assert.deepEqual(await contents(grown, dataset.id), before);
  await succeed(['backup', join(root, 'two')], grown.dataDir, url);
  await grown.close();
  const again = await run(['restore', join(root, 'one')], join(root, 'again'), url);
  assert.match(again.stderr, /^tilth: The database of TILTH_DATABASE_URL is not empty/);

  await succeed(['restore', join(root, 'two')], join(root, 'back'));
  assert.match(await succeed(['verify'], join(root, 'back')), /no problems/);
  const back = await startRestored(t, join(root, 'back'), undefined);
  assert.deepEqual(await contents(back, dataset.id), before);
});

test('damage in the data folder is told, and keeps nothing else from being backed up', async (t) => {
  const root = await newFolder(t);
  const into = join(root, 'backups');
  const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'hurt', type: 'TEXT' });
  await put(app, dataset.id, { 'bad.bin': patternBytes(1, 2_000_000), 'good.bin': patternBytes(2, 1_000_001) });
  const files = join(app.dataDir, 'blobs', 'files');
  for (const entry of await readdir(files, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await stat(path)).size === 2_000_000) await writeFile(path, Buffer.alloc(2_000_000));
  }
  const { code, stdout, stderr } = await run(['backup', into], app.dataDir);
  assert.deepEqual([code, stderr], [1, '']);
  assert.match(
    stdout,
    /^damaged +blob \S+; run verify to see[^]*all but 1 blobs that are damaged in the data folder\n$/,
  );
  assert.match(await succeed(['restore', into], join(root, 'restored')), /^damaged +1 blobs[^]*restored +2 blobs/);
});

/** Flips a bit, as a failing disk does. */
async function flip(path: string, offset: number): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, offset);
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, offset);
  await file.close();
}

async function onlyFileIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const [entry, ...others] = entries.filter((found) => found.isFile());
  assert.ok(entry !== undefined && others.length === 0, JSON.stringify(entries));
  return join(entry.parentPath, entry.name);
}

longTest('a damaged manifest keeps no other backup from use, and none of its own bytes go', async (t) => {
  const root = await newFolder(t);
  const into = join(root, 'backups');
  const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'kept', type: 'TEXT' });
  await put(app, dataset.id, { 'a.txt': patternBytes(1, 3000) });
  await succeed(['backup', into], app.dataDir);
  const [large] = await put(app, dataset.id, { 'large.bin': patternBytes(2, 2_000_000) });
  await succeed(['backup', into], app.dataDir);
  assert.equal((await app.api('DELETE', `${data}/${dataset.id}/files/${large}?purge=true`)).status, 204);
  const [oldest = '', bad = ''] = (await readdir(join(into, 'snapshots'))).sort();
  const manifest = join(into, 'snapshots', bad, 'manifest.json');
  const whole = await readFile(manifest);

  for (const sizeBytes of [0, 100]) {
    await writeFile(manifest, whole.subarray(0, sizeBytes));
    const [first, second, ...others] = (await succeed(['restore', into, '--list'], root)).trimEnd().split('\n');
    assert.match(first ?? '', new RegExp(`^${oldest}  1 blobs, 3000 bytes`));
    assert.match(second ?? '', new RegExp(`^${bad}  cannot be restored: its manifest \\S+ is damaged$`));
    assert.deepEqual(others, []);
  }
  const newest = await run(['restore', into], join(root, 'restored'));
  assert.equal(newest.code, 0, newest.stderr);
  assert.match(newest.stdout, new RegExp(`^restored +1 blobs, 3000 bytes of ${oldest} `));
  assert.match(newest.stderr, new RegExp(`^warning: the backup ${bad} was skipped: its manifest \\S+ is damaged\n$`));
  const named = await run(['restore', into, '--backup', bad], join(root, 'named'));
  assert.equal(named.code, 2);
  assert.match(named.stderr, new RegExp(`^tilth: The backup ${bad} can not be restored: its manifest`));

  const next = await run(['backup', into, '--keep', '1'], app.dataDir);
  assert.equal(next.code, 0, next.stderr);
  assert.match(next.stderr, new RegExp(`^warning: the backup ${bad} cannot be read: .* no bytes are removed`));
  assert.equal((await readdir(join(into, 'snapshots'))).length, 2);
  await writeFile(manifest, whole);
  assert.match(
    await succeed(['restore', into, '--backup', bad], join(root, 'mended')),
    /^restored +2 blobs, 2003000 bytes/,
  );
});

forAnyDatabase('a copy that was damaged is copied again', async (t, _open, options) => {
  const root = await newFolder(t);
  const into = join(root, 'backups');
  const url = urlOf(options);
  const app = await startNew(t, join(root, 'data'), url);
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'kept', type: 'TEXT' });
  await put(app, dataset.id, { 'first.txt': patternBytes(1, 3000) });
  await put(app, dataset.id, { 'last.bin': patternBytes(2, 200_000), 'large.bin': patternBytes(3, 2_000_000) });
  await succeed(['backup', into], app.dataDir, url);
  const modes = ['lock', join('snapshots', (await readdir(join(into, 'snapshots')))[0] ?? '', 'tilth.db')];
  for (const path of modes) assert.equal((await stat(join(into, path))).mode & 0o777, 0o600, path);

  const pack = await onlyFileIn(join(into, 'blobs', 'packs'));
  await flip(pack, 500);
  await flip(await onlyFileIn(join(into, 'blobs', 'files')), 1_000_000);
  assert.match(await succeed(['backup', into], app.dataDir, url), /result +complete; new bytes checked, use --check/);
  const mending = await succeed(['backup', into, '--check'], app.dataDir, url);
  assert.match(mending, /^(repaired +blob \S+; its copy was damaged[^\n]*\n){2}backup [^]*complete and checked\n$/);

  await flip(pack, (await stat(pack)).size - 10);
  const found = await succeed(['backup', into], app.dataDir, url);
  assert.match(found, /^repaired +blob \S+; its copy was damaged[^\n]*\nbackup /);
  assert.match(await succeed(['backup', into, '--check'], app.dataDir, url), /^backup [^]*complete and checked\n$/);
});

/** Sends a file in chunks of 100,000 bytes; if `only` is given, just the chunks with these numbers. */
async function putInChunks({ api }: RunningApp, datasetId: string, name: string, bytes: Buffer, only?: number[]) {
  const upload = `${data}/${datasetId}/files/upload`;
  const chunkSize = 100_000;
  const announced = { totalFileNum: 1, totalSize: bytes.length, chunkSize };
  const { body: reqId } = await api<string>('POST', `${upload}/pre-upload`, announced);
  const totalChunkNum = Math.ceil(bytes.length / chunkSize);
  for (let chunkNo = 1; chunkNo <= totalChunkNum; chunkNo++) {
    if (only?.includes(chunkNo) === false) continue;
    const form = new FormData();
    const fields = { reqId, fileNo: 1, fileName: name, totalChunkNum, chunkNo };
    for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
    form.set(
      'file',
      new Blob([Uint8Array.from(bytes.subarray((chunkNo - 1) * chunkSize, chunkNo * chunkSize))]),
      'blob',
    );
    assert.equal((await api('POST', `${upload}/chunk`, form)).status, 200);
  }
}

forAnyDatabase('files that came in chunks are counted and read back like all others', async (t, _open, options) => {
  const root = await newFolder(t);
  const into = join(root, 'backups');
  const url = urlOf(options);
  const app = await startNew(t, join(root, 'data'), url);
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'chunks', type: 'TEXT' });
  await putInChunks(app, dataset.id, 'chunked.bin', patternBytes(1, 2_500_000));
  assert.match(await succeed(['backup', into], app.dataDir, url), /of these 1 blobs, 2500000 bytes are new\n/);
  await flip(await onlyFileIn(join(app.dataDir, 'blobs', 'files')), 1_000_000);
  const { code, stdout } = await run(['backup', join(root, 'other')], app.dataDir, url);
  assert.equal(code, 1, stdout);
  assert.match(stdout, /^damaged +blob [^]*all but 1 blobs that are damaged in the data folder\n$/);
});

longTest(
  'a damaged database or upload of an earlier backup is named, and no bytes are removed meanwhile',
  async (t) => {
    const root = await newFolder(t);
    const into = join(root, 'backups');
    const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
    const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'kept', type: 'TEXT' });
    const [purged] = await put(app, dataset.id, { 'large.bin': patternBytes(2, 2_000_000) });
    await putInChunks(app, dataset.id, 'half.bin', patternBytes(1, 300_000), [1, 3]);
    await succeed(['backup', into], app.dataDir);
    assert.equal((await app.api('DELETE', `${data}/${dataset.id}/files/${purged}?purge=true`)).status, 204);
    const [oldest = ''] = await readdir(join(into, 'snapshots'));
    const damaged = new RegExp(
      `^damaged +the earlier backup ${oldest}: its database \\S+ is damaged\nbackup [^]* complete`,
    );

    const database = join(into, 'snapshots', oldest, 'tilth.db');
    await flip(database, 30);
    const met = await run(['backup', into, '--keep', '2'], app.dataDir);
    assert.match(met.stdout, damaged, met.stderr);
    assert.equal(met.code, 1);
    assert.equal((await succeed(['restore', into, '--list'], root)).trim().split('\n').length, 2);
    await onlyFileIn(join(into, 'blobs', 'files'));

    await flip(database, 30);
    await flip(database, Math.floor((await stat(database)).size / 2));
    const read = await run(['backup', into, '--check', '--keep', '9'], app.dataDir);
    assert.match(read.stdout, damaged, read.stderr);
    assert.equal(read.code, 1);

    await flip(database, Math.floor((await stat(database)).size / 2));
    await succeed(['backup', into, '--check', '--keep', '9'], app.dataDir);
    await flip(await onlyFileIn(join(into, 'snapshots', oldest, 'unfinished')), 100);
    const part = await run(['backup', into, '--check', '--keep', '9'], app.dataDir);
    assert.match(part.stdout, new RegExp(`^damaged +the earlier backup ${oldest}: its part of an unfinished upload`));
    assert.equal(part.code, 1);
  },
);

longTest('a data folder that holds other right bytes than its backup is told from damage', async (t) => {
  const root = await newFolder(t);
  const into = join(root, 'backups');
  const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'parted', type: 'TEXT' });
  await put(app, dataset.id, { 'a.txt': patternBytes(1, 3000) });
  await succeed(['backup', into], app.dataDir);
  await app.close();
  // Mimics a restored older backup after which other bytes were stored at the same place.
  const other = patternBytes(2, 3000);
  const database = new BetterSqlite3(join(app.dataDir, 'tilth.db'));
  const { offset } = database.prepare('select object_offset as offset from blobs').get() as { offset: number };
  database.prepare('update blobs set crc32 = ?').run(crc32(other));
  database.close();
  const pack = await open(await onlyFileIn(join(app.dataDir, 'blobs', 'packs')), 'r+');
  await pack.write(other, 0, other.length, offset);
  await pack.close();
  for (const args of [[], ['--check']]) {
    const { code, stderr } = await run(['backup', into, ...args], app.dataDir);
    assert.equal(code, 2);
    assert.match(stderr, /^tilth: The data folder and the backup have gone different ways .* into a new folder\n$/);
  }
  await succeed(['restore', into], join(root, 'restored'));
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
    const { code, stdout, stderr } = await run(args, dataDir);
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
    await put(app, dataset.id, { 'a.bin': patternBytes(1, 2_000_000) });
    await succeed(['backup', into], app.dataDir);
    const before = await contents(app, dataset.id);
    await put(app, dataset.id, { 'b.bin': patternBytes(2, 20_000_000) });
    const { code, stderr } = await run(['backup', into], app.dataDir);
    assert.equal(code, 2);
    assert.match(stderr, /^tilth: the disk is full .*; earlier backups are unchanged\n$/);
    await succeed(['restore', into], join(root, 'restored'));
    const restored = await startApp(t, { dataDir: join(root, 'restored') });
    assert.deepEqual(await contents(restored, dataset.id), before);
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
    await put(app, dataset.id, { 'a.bin': patternBytes(1, 2_000_000), 'b.txt': patternBytes(2, 2000) });
    // Mimics a disk snapshot of a running service, with commits that are still in the log.
    const snapshot = join(root, 'snapshot');
    await cp(app.dataDir, snapshot, { recursive: true });
    await rm(join(snapshot, 'tilth.db-shm'));
    assert.ok((await stat(join(snapshot, 'tilth.db-wal'))).size > 0);
    execFileSync('mount', ['--bind', snapshot, snapshot]);
    mounted.push(snapshot);
    execFileSync('mount', ['-o', 'remount,bind,ro', snapshot]);
    const { code, stdout, stderr } = await run(['verify'], snapshot);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^verified +2 blobs[^]*no problems\n$/);
    assert.match(stderr, /^The data folder is not writable; its database is read from a temporary copy in (\S+)\n$/);
    const copy = /copy in (\S+)\n/.exec(stderr)?.[1] ?? '';
    await assert.rejects(readFile(copy), { code: 'ENOENT' });
  },
);
