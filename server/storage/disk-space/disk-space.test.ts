import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { mayMount, mountSmallDisk } from '../../../tests/faults/small-disk.ts';
import { openDatabase } from '../database/database.ts';
import { diskFull, openDiskSpace, type DiskSpace } from './disk-space.ts';
import { freeingSpace } from './freeing.ts';
import { keepReserveForDeletions } from './reserved-writes.ts';

const mebibyte = 1024 * 1024;
const reserveBytes = 4 * mebibyte;
const skip = !mayMount() && 'needs the right to mount a file system (root)';
const logger = { warn() {}, info() {} };

async function newDisk(t: TestContext, megabytes: number): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tilth-space-'));
  const disk = join(root, 'disk');
  await mountSmallDisk({ after: (end) => t.after(end) }, disk, `size=${megabytes}m`);
  t.after(() => rm(root, { recursive: true, force: true }));
  return disk;
}

async function openSpace(t: TestContext, directory: string, bytes = reserveBytes): Promise<DiskSpace> {
  const space = await openDiskSpace({ directory, reserveBytes: bytes, lowBytes: 2 * mebibyte, logger });
  t.after(() => space.close());
  return space;
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = performance.now() + 20_000; !(await isSo()); await pause(20))
    assert.ok(performance.now() < deadline, 'it never came');
}

const reserveIs = (space: DiskSpace, state: string) => async () => (await space.measure()).reserve.state === state;

function fillUp(path: string): void {
  const file = openSync(path, 'w');
  for (const size of [mebibyte, 4096, 1])
    try {
      for (const piece = Buffer.alloc(size, 1); writeSync(file, piece) === size;);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  closeSync(file);
}

test('the reserve takes real blocks, is found again, and follows its setting', { skip }, async (t) => {
  const disk = await newDisk(t, 32);
  const freeBefore = statfsSync(disk).bavail * statfsSync(disk).bsize;
  const space = await openSpace(t, disk);
  assert.equal((await space.measure()).reserve.state, 'MISSING');
  space.start();
  await until(reserveIs(space, 'HELD'));
  const { freeBytes, state } = await space.measure();
  assert.equal(state, 'OK');
  assert.ok(freeBefore - freeBytes >= reserveBytes, `${freeBefore - freeBytes}`);
  await space.close();

  const again = await openSpace(t, disk);
  assert.equal((await again.measure()).reserve.state, 'HELD');
  await again.close();
  const smaller = await openSpace(t, disk, mebibyte);
  smaller.start();
  await until(reserveIs(smaller, 'HELD'));
  const names = await readdir(join(disk, 'reserve'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(disk, 'reserve', name))).size));
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    mebibyte,
  );
  await smaller.close();
  const none = await openSpace(t, disk, 0);
  assert.equal((await none.measure()).reserve.state, 'OFF');
  assert.deepEqual(await readdir(join(disk, 'reserve')), []);
});

test('only deletions get the reserve; it is made again when there is room', { skip }, async (t) => {
  const disk = await newDisk(t, 32);
  const space = await openSpace(t, disk);
  const opened = await openDatabase({ file: join(disk, 'tilth.db') });
  t.after(() => opened.close());
  const db = keepReserveForDeletions(opened, space);
  const insert = (id: string) =>
    db.write((tx) =>
      tx
        .insertInto('tags')
        .values({ id, name: id, name_key: id, color: '', description: 'x'.repeat(200_000), created_at: '' })
        .execute(),
    );
  space.start();
  await until(reserveIs(space, 'HELD'));
  await insert('before');
  fillUp(join(disk, 'others'));
  assert.equal((await space.measure()).state, 'FULL');
  await assert.rejects(async () => {
    for (let number = 0; number < 60; number++) await insert(`n${number}`);
  });
  assert.equal((await space.measure()).reserve.state, 'HELD', 'nobody but a deletion takes it');

  const remove = (id: string) =>
    freeingSpace(() => db.write((tx) => tx.deleteFrom('tags').where('id', '=', id).execute()));
  for (let number = 0; number < 5; number++) await freeingSpace(() => insert(`freeing${number}`));
  assert.equal((await space.measure()).reserve.state, 'IN_USE');
  assert.equal((await readdir(join(disk, 'reserve'))).length, 0);
  await remove('before');
  await assert.rejects(insert('refused'), { code: 'ENOSPC' });
  assert.equal(space.mayWrite(), false);
  assert.equal(
    freeingSpace(() => space.mayWrite()),
    true,
  );

  rmSync(join(disk, 'others'));
  await until(reserveIs(space, 'HELD'));
  await insert('after');
});

test('on a full disk it is given back before anything else is opened', { skip }, async (t) => {
  const disk = await newDisk(t, 16);
  const first = await openSpace(t, disk);
  first.start();
  await until(reserveIs(first, 'HELD'));
  await first.close();
  fillUp(join(disk, 'others'));
  const space = await openSpace(t, disk);
  assert.equal((await space.measure()).reserve.state, 'IN_USE');
  assert.equal(space.mayWrite(), true, 'the start itself may write');
  space.start();
  assert.equal(space.mayWrite(), false);
  await writeFile(join(disk, 'room'), Buffer.alloc(reserveBytes / 2, 1));
});

test('without a reserve a failure stays what it is', { skip }, async (t) => {
  const disk = await newDisk(t, 8);
  const space = await openSpace(t, disk, 0);
  let attempts = 0;
  const failing = async (): Promise<never> => {
    attempts++;
    throw diskFull();
  };
  await assert.rejects(
    freeingSpace(() => space.withReserve(failing)),
    { code: 'ENOSPC' },
  );
  assert.equal(attempts, 1);
  assert.equal(existsSync(join(disk, 'reserve')), false);
});
