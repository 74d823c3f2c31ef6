import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairPlaces } from './fair-places.ts';

test('a free place goes to the owner with the fewest, then to the longest wait', async () => {
  const places = createFairPlaces(2);
  const order: string[] = [];
  const held: (() => void)[] = [];
  const ask = (owner: string): Promise<void> =>
    places.acquire(owner).then((release) => {
      order.push(owner);
      held.push(release);
    });
  const asked = ['big', 'big', 'big', 'big', 'small', 'other'].map(ask);
  await Promise.all(asked.slice(0, 2));
  for (let index = 0; index < 4; index += 1) {
    held.shift()?.();
    await new Promise(setImmediate);
  }
  assert.deepEqual(order, ['big', 'big', 'small', 'other', 'big', 'big']);
});

test('a place is let go of once, whoever says it twice', async () => {
  const places = createFairPlaces(1);
  const release = await places.acquire('a');
  release();
  release();
  await places.acquire('b');
  let isThird = false;
  void places.acquire('c').then(() => {
    isThird = true;
  });
  await new Promise(setImmediate);
  assert.equal(isThird, false);
});

test('one that is aborted before its turn takes no place', async () => {
  const places = createFairPlaces(1);
  const release = await places.acquire('a');
  const [gone, stays] = [new AbortController(), new AbortController()];
  const aborted = Array.from({ length: 3 }, () => places.acquire('b', gone.signal));
  const next = places.acquire('b', stays.signal);
  gone.abort(new Error('gone'));
  for (const one of aborted) await assert.rejects(one, /gone/);
  release();
  const releaseNext = await next;
  stays.abort();
  await assert.rejects(places.acquire('b', gone.signal), /gone/);
  releaseNext();
  (await places.acquire('c'))();
});

test('one that wants several places gets them at once, and others wait behind it', async () => {
  const places = createFairPlaces(3);
  const order: string[] = [];
  const ask = (owner: string, wanted: number, signal?: AbortSignal): Promise<() => void> =>
    places.acquire(owner, signal, wanted).then((release) => {
      order.push(`${owner}${wanted}`);
      return release;
    });
  const first = await ask('a', 2);
  const leaving = new AbortController();
  const left = ask('b', 3, leaving.signal);
  const small = ask('c', 1);
  await new Promise(setImmediate);
  assert.deepEqual(order, ['a2'], 'a place is free, and the one that is next needs more');
  leaving.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  const rest = [ask('a', 3), ask('d', 2)];
  (await small)();
  first();
  await new Promise(setImmediate);
  assert.deepEqual(order, ['a2', 'c1', 'd2']);
  (await rest[1])?.();
  (await rest[0])?.();
  assert.deepEqual(order, ['a2', 'c1', 'd2', 'a3']);
});

test('more places are given at once, and fewer as soon as those that are held are let go of', async () => {
  const places = createFairPlaces(0);
  const held: (() => void)[] = [];
  const ask = (): Promise<void> => places.acquire('a').then((release) => void held.push(release));
  const asked = Array.from({ length: 5 }, ask);
  await new Promise(setImmediate);
  assert.equal(held.length, 0);
  places.resize(3);
  await Promise.all(asked.slice(0, 3));
  assert.equal(held.length, 3);
  places.resize(1);
  for (const release of held.splice(0, 2)) release();
  await new Promise(setImmediate);
  assert.equal(held.length, 1, 'one is held, and there is one');
  held.pop()?.();
  await asked[3];
  await new Promise(setImmediate);
  assert.equal(held.length, 1);
});
