import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { countStart, cpuTime, takeStarts } from './test-costs.ts';

/** Uses half a second of CPU time, prints that, and ends when its input does. */
const busy = `const { user } = process.cpuUsage();
while (process.cpuUsage().user - user < 500_000);
console.log('done');
process.stdin.resume();`;

const childrenTime = () => cpuTime().ended + cpuTime().running;

test('the CPU time of a child counts while it runs and when it has ended, and that of its own children', async () => {
  const before = childrenTime();
  const nested = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(busy)}], { stdio: 'inherit' });`;
  const child = spawn(process.execPath, ['-e', nested], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const running = childrenTime() - before;
  child.stdin.end();
  await once(child, 'close');
  const ended = childrenTime() - before;
  assert.ok(running >= 0.5, `${running} s`);
  assert.ok(ended >= 0.5, `${ended} s`);
});

test('starts are counted by their kind, also those that fail, until they are taken', async () => {
  takeStarts();
  assert.equal(await countStart('engine', () => Promise.resolve(7)), 7);
  await assert.rejects(
    countStart('engine', () => Promise.reject(new Error('no'))),
    /no/,
  );
  const { engine, browser } = takeStarts();
  assert.deepEqual({ count: engine?.count, browser }, { count: 2, browser: undefined });
  assert.deepEqual(takeStarts(), {});
});
