import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createBackgroundTask } from './background-task.ts';

/** Runs pending promise callbacks. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

test('rounds come one after the other, and one that was asked for meanwhile follows', async () => {
  const rounds: PromiseWithResolvers<void>[] = [];
  const task = createBackgroundTask({
    work() {
      const round = Promise.withResolvers<void>();
      rounds.push(round);
      return round.promise;
    },
    onError: (error) => assert.ifError(error),
  });
  task.wake();
  assert.equal(rounds.length, 0, 'nothing before the start');
  task.start();
  task.wake();
  task.wake();
  assert.equal(rounds.length, 1);
  rounds[0]?.resolve();
  await settle();
  assert.equal(rounds.length, 2);
  rounds[1]?.resolve();
  await task.idle();
  assert.equal(rounds.length, 2, 'no pause was given: none comes by itself');
  await task.stop();
  task.wake();
  assert.equal(rounds.length, 2, 'none after the end');
});

test('failures are told once and tried again soon, until a round has worked', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const told: unknown[] = [];
    let failures = 3;
    let rounds = 0;
    const task = createBackgroundTask({
      everyMs: 3_600_000,
      async work() {
        rounds++;
        if (failures-- > 0) throw new Error('away');
      },
      onError: (error) => told.push(error),
    });
    task.start();
    for (let round = 1; round <= 4; round++) {
      await settle();
      assert.equal(rounds, round);
      mock.timers.tick(5_000);
    }
    await settle();
    assert.equal(rounds, 4, 'after a round that worked the long pause holds');
    assert.equal(told.length, 1);
    failures = 1;
    mock.timers.tick(3_600_000);
    await settle();
    assert.equal(told.length, 2);
    await task.stop();
  } finally {
    mock.timers.reset();
  }
});

test('the end aborts the round and waits for it', async () => {
  const ended = Promise.withResolvers<void>();
  let isAborted = false;
  const task = createBackgroundTask({
    work: (signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => {
          isAborted = true;
          void ended.promise.then(() => reject(new Error('Stopped')));
        });
        void resolve;
      }),
    onError: (error) => assert.ifError(error),
  });
  task.start();
  let isStopped = false;
  const stopping = task.stop().then(() => {
    isStopped = true;
  });
  await settle();
  assert.ok(isAborted);
  assert.equal(isStopped, false);
  ended.resolve();
  await stopping;
});
