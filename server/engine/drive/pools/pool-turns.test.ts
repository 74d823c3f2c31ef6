import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { WorkerAnswer } from '../../orders/worker-protocol.ts';
import { createThreadPool, type OrderTurn } from './thread-pool.ts';

const recipe = { steps: [], onError: 'SET_ASIDE', textField: null } as const;
const nothing = (): void => undefined;
const turnOf = (owner: string): OrderTurn => ({
  owner,
  waits: nothing,
  waited: nothing,
  begins: nothing,
  ends: nothing,
});

/** A pool whose orders end when the test says so. */
function openPool(size: number) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const pool = createThreadPool({
    size,
    sampleTimeoutMs: 1000,
    threads: {
      work({ order }) {
        const name = 'file' in order.job ? String(order.job.file) : '';
        begun.push(name);
        return new Promise<WorkerAnswer>((resolve) => {
          ends.set(name, () => resolve({ kind: 'done', result: [] } as unknown as WorkerAnswer));
        });
      },
      close: async () => undefined,
    },
  });
  const { signal } = new AbortController();
  const add = (owner: string, name: string, isLong = false, until: AbortSignal = signal): Promise<unknown> =>
    pool.run(isLong ? 'reduce' : 'parts', { ...recipe, file: name } as never, until, { turn: turnOf(owner) });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settle();
  };
  return { begun, add, end };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
}

test('runs take turns with a worker, however many orders one of them has', async () => {
  const { begun, add, end } = openPool(1);
  const done = ['a1', 'a2', 'a3', 'a4'].map((name) => add('a', name));
  done.push(add('b', 'b1'), add('b', 'b2'), add('c', 'c1'));
  await settle();
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']) {
    assert.equal(begun.at(-1), name);
    await end(name);
  }
  await Promise.all(done);
});

test('one more worker does short orders while long ones have all, and no more than one', async () => {
  const { begun, add, end } = openPool(2);
  const done = [add('a', 'long1', true), add('b', 'long2', true), add('c', 'long3', true)];
  await settle();
  assert.deepEqual(begun, ['long1', 'long2']);
  done.push(add('d', 'short1'), add('d', 'short2'));
  await settle();
  assert.deepEqual(begun, ['long1', 'long2', 'short1']);
  await end('short1');
  assert.deepEqual(begun.slice(3), ['short2']);
  await end('long1');
  assert.deepEqual(begun.slice(4), [], 'one long order and one short one have the two workers');
  await end('short2');
  assert.deepEqual(begun.slice(4), ['long3']);
  for (const name of ['long2', 'long3']) await end(name);
  await Promise.all(done);
});

test('an order that waits is given up at once when its run is stopped', async () => {
  const { begun, add, end } = openPool(1);
  const first = add('a', 'first');
  const stop = new AbortController();
  const second = assert.rejects(add('b', 'second', false, stop.signal), /stopped/);
  stop.abort(new Error('stopped'));
  await second;
  await settle();
  await end('first');
  await first;
  assert.deepEqual(begun, ['first']);
});
