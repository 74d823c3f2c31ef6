import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { cpuBetween, mainThread, readCpuTimes, totalOf } from './cpu-times.ts';

test('CPU time is told by thread', { skip: process.platform === 'linux' ? false : 'needs /proc' }, async () => {
  const before = await readCpuTimes(process.pid);
  const busyMs = 300;
  const worker = new Worker(
    `const { threadCpuUsage } = process;
       while (threadCpuUsage().user < ${busyMs * 1000}) {}
       setInterval(() => {}, 1000);
       require('node:worker_threads').parentPort.postMessage('done');`,
    { eval: true, name: 'sqlite-writer' },
  );
  await new Promise((resolve) => worker.once('message', resolve));
  const spent = cpuBetween(before, await readCpuTimes(process.pid));
  await worker.terminate();
  const busy = spent.get('SQL writer') ?? 0;
  assert.ok(busy >= (busyMs / 1000) * 0.9, `the busy thread used ${busy} s`);
  assert.ok((spent.get(mainThread) ?? 0) < busy, 'the main thread only waited');
});

test(
  'what a thread has spent counts when it has ended',
  { skip: process.platform === 'linux' ? false : 'needs /proc' },
  async () => {
    const before = await readCpuTimes(process.pid);
    const busyMs = 300;
    const worker = new Worker(
      `const { threadCpuUsage } = process;
       while (threadCpuUsage().user < ${busyMs * 1000}) {}`,
      { eval: true, name: 'short' },
    );
    await new Promise((resolve) => worker.once('exit', resolve));
    const spent = totalOf(cpuBetween(before, await readCpuTimes(process.pid)));
    assert.ok(spent >= (busyMs / 1000) * 0.8, `all threads used ${spent} s`);
  },
);
