import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { acquireInstallLock } from './install-lock.mjs';

function lockPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-lock-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'lock');
}

function leaveLock(path: string, pids: number[], host = hostname()): void {
  writeFileSync(path, JSON.stringify({ host, pids }));
}

const nobodyWaits = (pid: number) => assert.fail(`waited for ${pid}`);
const deadPid = () => spawnSync(process.execPath, ['--version']).pid;

test('a second one waits until the first lets go', async (t) => {
  const path = lockPath(t);
  const first = await acquireInstallLock(path, nobodyWaits);
  const order: string[] = [];
  let heard: (pid: number) => void = () => {};
  const waiting = new Promise<number>((resolve) => (heard = resolve));
  const second = acquireInstallLock(path, (pid) => heard(pid)).then((lock) => {
    order.push('second');
    return lock;
  });
  assert.equal(await waiting, process.pid);
  order.push('first lets go');
  first.release();
  (await second).release();
  assert.deepEqual(order, ['first lets go', 'second']);
  assert.equal(existsSync(path), false);
});

test('a lock of a dead process is taken over', async (t) => {
  const path = lockPath(t);
  leaveLock(path, [deadPid()]);
  const lock = await acquireInstallLock(path, nobodyWaits);
  assert.deepEqual(readdirSync(join(path, '..')), ['lock']);
  lock.release();
});

test('a lock is kept for the child of a dead process', async (t) => {
  const path = lockPath(t);
  leaveLock(path, [deadPid(), process.pid]);
  let heard: () => void = () => {};
  const waiting = new Promise<void>((resolve) => (heard = resolve));
  const lock = acquireInstallLock(path, () => heard());
  await waiting;
  leaveLock(path, [deadPid()]);
  (await lock).release();
});

test('a lock of another machine counts until it has been silent for a minute', async (t) => {
  const path = lockPath(t);
  leaveLock(path, [deadPid()], 'another-machine');
  let heard: () => void = () => {};
  const waiting = new Promise<void>((resolve) => (heard = resolve));
  const lock = acquireInstallLock(path, () => heard());
  await waiting;
  const twoMinutesAgo = new Date(Date.now() - 120_000);
  utimesSync(path, twoMinutesAgo, twoMinutesAgo);
  (await lock).release();
});
