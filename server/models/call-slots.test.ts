import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { addModel, openModels } from '../../tests/support/models.ts';
import { refuse, replyWith, startProvider } from '../../tests/fakes/model-provider.ts';
import { createCallWindow } from './call-window.ts';
import { findBudget } from './queries/budgets.ts';
import { countPendingCalls } from './queries/calls.ts';
import { backoffMs, parseRetryAfter } from './retries.ts';

const ask = (content: string) => ({ messages: [{ role: 'user' as const, content }] });

forEachDatabase('a model’s limit holds over all processes, and each gets its part', async (t, open) => {
  const provider = await startProvider(t, replyWith('Hi', { afterMs: 30 }));
  const one = await openModels(t, await open());
  const two = await openModels(t, await open());
  const { id } = await addModel(one.models, provider.baseUrl, { limits: { concurrency: 6 } });
  const done = { one: 0, two: 0 };
  const many = (name: 'one' | 'two', { models }: typeof one, count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        await models.chat(id, ask(`${name} ${index}`));
        done[name] += 1;
      }),
    );
  const first = many('one', one, 400);
  while (done.one < 20) await sleep(20);
  const second = many('two', two, 40);
  await second;
  assert.ok(done.one < 400, 'the second process did not wait for the end of the first');
  await first;
  assert.equal(provider.requests.length, 440);
  assert.ok(provider.mostOpen <= 6, `${provider.mostOpen} at once`);
  assert.ok(provider.mostOpen >= 4, `${provider.mostOpen} at once`);
});

forEachDatabase('a provider that takes few calls gets few, and all are answered', async (t, open) => {
  let openNow = 0;
  const provider = await startProvider(t, (...args) => {
    if (openNow >= 5) return refuse(429, 'too many')(...args);
    openNow += 1;
    args[1].once('close', () => (openNow -= 1));
    return replyWith('Hi', { afterMs: 40 })(...args);
  });
  const { models } = await openModels(t, await open());
  const { id } = await addModel(models, provider.baseUrl, { limits: { concurrency: 100 } });
  const replies = await Promise.all(
    Array.from({ length: 120 }, (_, index) => models.chat(id, ask(`call ${index}`), { maxAttempts: 12 })),
  );
  assert.equal(replies.length, 120);
  const refused = provider.requests.length - 120;
  assert.ok(refused < 120, `${refused} calls were refused`);
});

forEachDatabase('when a provider asks to wait, all processes wait', async (t, open) => {
  const one = await openModels(t, await open());
  const two = await openModels(t, await open());
  const provider = await startProvider(t);
  const { id } = await addModel(one.models, provider.baseUrl);
  await two.models.chat(id, ask('warm up'));
  const startedAt = performance.now();
  provider.answer = refuse(429, 'wait', { 'retry-after': '4' });
  const waiting = one.models.chat(id, ask('first'));
  while (provider.requests.length < 2) await sleep(20);
  provider.answer = replyWith('Hi');
  // The other process updates its share every second.
  await sleep(1_800);
  await two.models.chat(id, ask('second'));
  assert.ok(performance.now() - startedAt >= 3_900);
  await waiting;
  assert.equal(provider.requests.length, 4);
});

test('the window doubles each round, halves once a round, and then grows by one', () => {
  const window = createCallWindow(() => 1000);
  let now = 0;
  const round = (outcome: 'answered' | 'refused' | 'failed', tookMs = 100) => {
    const { size } = window;
    for (let call = 0; call < size; call++) window.onEnd({ startedMs: now, endedMs: now + tookMs, outcome });
    now += tookMs;
  };
  assert.equal(window.size, 8);
  round('answered');
  assert.equal(window.size, 16);
  for (let times = 0; times < 3; times++) round('answered');
  assert.equal(window.size, 128);
  round('failed');
  assert.equal(window.size, 128, 'a failure that is not about load');
  round('refused');
  assert.equal(window.size, 64, 'once for all calls of a round');
  round('answered');
  assert.ok(window.size === 64 || window.size === 65, String(window.size));
  for (let times = 0; times < 10; times++) round('answered');
  assert.ok(window.size >= 70 && window.size <= 76, String(window.size));
  for (let times = 0; times < 20; times++) round('refused');
  assert.equal(window.size, 1);
});

test('answers that take much longer hold the window', () => {
  const window = createCallWindow(() => 1000);
  for (let call = 0; call < 50; call++) window.onEnd({ startedMs: call, endedMs: call + 200, outcome: 'answered' });
  const { size } = window;
  for (let call = 0; call < 200; call++) window.onEnd({ startedMs: 1000, endedMs: 4_000, outcome: 'answered' });
  assert.ok(window.size <= size + 40, `${size} ${window.size}`);
});

const now = new Date('2026-01-31T08:00:00.000Z');
const retryAfters: readonly (readonly [headers: Record<string, string>, ms: number | undefined])[] = [
  [{}, undefined],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': ' 1.5 ' }, 1_500],
  [{ 'retry-after': 'Sat, 31 Jan 2026 08:00:09 GMT' }, 9_000],
  [{ 'retry-after': 'Saturday, 31-Jan-26 08:00:09 GMT' }, 9_000],
  [{ 'retry-after': 'Sat, 31 Jan 2026 07:59:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after': '-3' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '3 minutes' }, undefined],
];
for (const [headers, ms] of retryAfters)
  test(`Retry-After ${JSON.stringify(headers)}: ${ms}`, () =>
    assert.equal(parseRetryAfter(new Headers(headers), now), ms));

test('attempts wait longer each time, never all at once, never for ever', () => {
  assert.deepEqual(
    [1, 2, 3].map((attempt) => backoffMs(attempt, () => 0)),
    [250, 500, 1000],
  );
  assert.deepEqual(
    [1, 2, 3].map((attempt) => backoffMs(attempt, () => 1)),
    [500, 1000, 2000],
  );
  assert.equal(
    backoffMs(50, () => 1),
    20_000,
  );
});

forEachDatabase(
  'a call is recorded while it waits for a slot, and one that is left there counts nothing',
  async (t, open) => {
    const db = await open();
    const held: (() => void)[] = [];
    const provider = await startProvider(t, (...args) => held.push(() => replyWith('Hi')(...args)));
    const { models } = await openModels(t, db);
    const { id } = await addModel(models, provider.baseUrl, { limits: { concurrency: 1, timeoutSeconds: 60 } });
    const budget = { id: 'r', caps: { maxCalls: 10 } };
    const leaving = new AbortController();
    const first = models.chat(id, ask('first'), { budget });
    while (held.length < 1) await sleep(5);
    const left = models.chat(id, ask('second'), { budget, signal: leaving.signal });
    const last = models.chat(id, ask('third'), { budget });
    while ((await countPendingCalls(db.read)) < 2) await sleep(5);
    assert.equal(await countPendingCalls(db.read), 2, 'as many wait as may be in flight, the others are not recorded');
    leaving.abort();
    await assert.rejects(left, { problem: 'aborted' });
    for (const one of [first, last]) {
      while (held.length === 0) await sleep(5);
      held.shift()?.();
      await one;
    }
    const used = await findBudget(db.read, 'run:r');
    assert.deepEqual([used?.used_calls, used?.reserved_calls, used?.reserved_tokens], [2, 0, 0]);
    assert.deepEqual([(await models.usage(id)).totals.calls, provider.requests.length, provider.mostOpen], [2, 2, 1]);
  },
);
