// Damage in a data folder or in a backup is named, and nothing else is lost by it.
import assert from 'node:assert/strict';
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import BetterSqlite3 from 'better-sqlite3';
import { newFolder, runOver, succeed, urlOf, startNew } from '../../tests/support/backups.ts';
import { patternBytes } from '../../tests/support/blobs.ts';
import { forAnyDatabase } from '../../tests/support/databases.ts';
import { startApp, type RunningApp } from '../../tests/support/server.ts';
import { putFiles } from '../../tests/support/stored-files.ts';
import { longTest } from '../../tests/support/long-tests.ts';

const data = '/data-management/datasets';

test('damage in the data folder is told, and keeps nothing else from being backed up', async (t) => {
  const root = await newFolder(t);
  const into = join(root, 'backups');
  const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'hurt', type: 'TEXT' });
  await putFiles(app, dataset.id, { 'bad.bin': patternBytes(1, 2_000_000), 'good.bin': patternBytes(2, 1_000_001) });
  const files = join(app.dataDir, 'blobs', 'files');
  for (const entry of await readdir(files, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await stat(path)).size === 2_000_000) await writeFile(path, Buffer.alloc(2_000_000));
  }
  const { code, stdout, stderr } = await runOver(['backup', into], app.dataDir);
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
  await putFiles(app, dataset.id, { 'a.txt': patternBytes(1, 3000) });
  await succeed(['backup', into], app.dataDir);
  const [large] = await putFiles(app, dataset.id, { 'large.bin': patternBytes(2, 2_000_000) });
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
  const newest = await runOver(['restore', into], join(root, 'restored'));
  assert.equal(newest.code, 0, newest.stderr);
  assert.match(newest.stdout, new RegExp(`^restored +1 blobs, 3000 bytes of ${oldest} `));
  assert.match(newest.stderr, new RegExp(`^warning: the backup ${bad} was skipped: its manifest \\S+ is damaged\n$`));
  const named = await runOver(['restore', into, '--backup', bad], join(root, 'named'));
  assert.equal(named.code, 2);
  assert.match(named.stderr, new RegExp(`^tilth: The backup ${bad} can not be restored: its manifest`));

  const next = await runOver(['backup', into, '--keep', '1'], app.dataDir);
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
  await putFiles(app, dataset.id, { 'first.txt': patternBytes(1, 3000) });
  await putFiles(app, dataset.id, { 'last.bin': patternBytes(2, 200_000), 'large.bin': patternBytes(3, 2_000_000) });
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
  const { code, stdout } = await runOver(['backup', join(root, 'other')], app.dataDir, url);
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
    const [purged] = await putFiles(app, dataset.id, { 'large.bin': patternBytes(2, 2_000_000) });
    await putInChunks(app, dataset.id, 'half.bin', patternBytes(1, 300_000), [1, 3]);
    await succeed(['backup', into], app.dataDir);
    assert.equal((await app.api('DELETE', `${data}/${dataset.id}/files/${purged}?purge=true`)).status, 204);
    const [oldest = ''] = await readdir(join(into, 'snapshots'));
    const damaged = new RegExp(
      `^damaged +the earlier backup ${oldest}: its database \\S+ is damaged\nbackup [^]* complete`,
    );

    const database = join(into, 'snapshots', oldest, 'tilth.db');
    await flip(database, 30);
    const met = await runOver(['backup', into, '--keep', '2'], app.dataDir);
    assert.match(met.stdout, damaged, met.stderr);
    assert.equal(met.code, 1);
    assert.equal((await succeed(['restore', into, '--list'], root)).trim().split('\n').length, 2);
    await onlyFileIn(join(into, 'blobs', 'files'));

    await flip(database, 30);
    await flip(database, Math.floor((await stat(database)).size / 2));
    const read = await runOver(['backup', into, '--check', '--keep', '9'], app.dataDir);
    assert.match(read.stdout, damaged, read.stderr);
    assert.equal(read.code, 1);

    await flip(database, Math.floor((await stat(database)).size / 2));
    await succeed(['backup', into, '--check', '--keep', '9'], app.dataDir);
    await flip(await onlyFileIn(join(into, 'snapshots', oldest, 'unfinished')), 100);
    const part = await runOver(['backup', into, '--check', '--keep', '9'], app.dataDir);
    assert.match(part.stdout, new RegExp(`^damaged +the earlier backup ${oldest}: its part of an unfinished upload`));
    assert.equal(part.code, 1);
  },
);

longTest('a data folder that holds other right bytes than its backup is told from damage', async (t) => {
  const root = await newFolder(t);
  const into = join(root, 'backups');
  const app = await startApp(t, { dataDir: join(root, 'data'), isPrepared: true });
  const { body: dataset } = await app.api<{ id: string }>('POST', data, { name: 'parted', type: 'TEXT' });
  await putFiles(app, dataset.id, { 'a.txt': patternBytes(1, 3000) });
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
    const { code, stderr } = await runOver(['backup', into, ...args], app.dataDir);
    assert.equal(code, 2);
    assert.match(stderr, /^tilth: The data folder and the backup have gone different ways .* into a new folder\n$/);
  }
  await succeed(['restore', into], join(root, 'restored'));
});
