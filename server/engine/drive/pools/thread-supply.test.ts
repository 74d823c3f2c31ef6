import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { builtInOperators } from '../../../../tests/support/engine-workers.ts';
import { step } from '../../../../tests/support/engine.ts';
import { createThreadPool } from './thread-pool.ts';
import { createThreadSupply } from './thread-supply.ts';

test('a thread serves one pool after the other, and each gets its own back first', async (t) => {
  const threads = createThreadSupply({ operatorsUrl: builtInOperators, memoryMb: 512 });
  t.after(threads.close);
  const [one, other] = [{}, {}];
  const first = threads.take(one);
  const second = threads.take(other);
  assert.notEqual(first, second);
  threads.giveBack(one, first);
  threads.giveBack(other, second);
  assert.equal(threads.take(one), first, 'its own');
  assert.equal(threads.take(one), second, 'the only one');
  threads.giveBack(one, first);
  const exited = once(first.thread.worker, 'exit');
  await first.thread.end();
  await exited;
  const third = threads.take(one);
  assert.ok(third !== first && third !== second, 'one that has ended is not given again');
  threads.giveBack(one, second);
  threads.giveBack(one, third);
});

test('pools over one supply work in turn, and closing one ends nothing of the other', async (t) => {
  const threads = createThreadSupply({ operatorsUrl: builtInOperators, memoryMb: 512 });
  t.after(threads.close);
  const pools = [1, 2].map(() => createThreadPool({ threads, size: 1, sampleTimeoutMs: 30_000 }));
  const { signal } = new AbortController();
  const recipe = { steps: [step('whitespace-normalizer')], onError: 'SET_ASIDE', textField: null } as const;
  for (const pool of pools) assert.deepEqual(await pool.run('parts', recipe, signal), ['text']);
  const user = {};
  const [idle, started] = [threads.take(user), threads.take(user)];
  assert.ok(idle.thread.worker.threadId < started.thread.worker.threadId, 'both pools had the same thread');
  threads.giveBack(user, idle);
  threads.giveBack(user, started);
  await pools[0]?.close();
  await assert.rejects(pools[0]?.run('parts', recipe, signal) ?? Promise.resolve(), /closed/);
  assert.deepEqual(await pools[1]?.run('parts', recipe, signal), ['text']);
});
