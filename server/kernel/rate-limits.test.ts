import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRateLimits, type RateLimits } from './rate-limits.ts';

const minute = 60_000;
const hour = 3_600_000;

function limitsAt(time: { ms: number }, perMinute: number, perHour: number, maxKeys?: number): RateLimits {
  return createRateLimits({
    windows: [
      { limit: perMinute, spanMs: minute },
      { limit: perHour, spanMs: hour },
    ],
    monotonicMs: () => time.ms,
    wallMs: () => 1_000_000_000_000 + time.ms,
    ...(maxKeys === undefined ? {} : { maxKeys }),
  });
}

test('allows exactly the limit in any 60 s and in any 3,600 s, whatever the pattern of calls', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 400 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 60 }),
      (gaps, perMinute, perHour) => {
        const time = { ms: 0 };
        const limits = limitsAt(time, perMinute, perHour);
        const allowed: number[] = [];
        for (const gap of gaps) {
          time.ms += gap;
          const within = (spanMs: number) => allowed.filter((at) => at > time.ms - spanMs).length;
          const expected = within(minute) < perMinute && within(hour) < perHour;
          const state = limits.take('key');
          assert.equal(state?.allowed, expected);
          if (expected) allowed.push(time.ms);
          const left = [perMinute - within(minute), perHour - within(hour)];
          assert.equal(state?.remaining, Math.min(...left));
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('says when a refused call would be allowed, to the second, and a call then is', () => {
  const time = { ms: 500 };
  const limits = limitsAt(time, 2, 100);
  limits.take('key');
  time.ms += 10_000;
  limits.take('key');
  time.ms += 10_000;
  const refused = limits.take('key');
  assert.deepEqual(refused, {
    allowed: false,
    limit: 2,
    remaining: 0,
    resetAt: Math.ceil((1_000_000_000_000 + 60_500) / 1000),
    retryAfterSeconds: 40,
  });
  time.ms += 40_000;
  assert.equal(limits.take('key')?.allowed, true);
});

test('a refused call consumes nothing', () => {
  const time = { ms: 0 };
  const limits = limitsAt(time, 1, 3);
  assert.equal(limits.take('key')?.allowed, true);
  for (let i = 0; i < 50; i++) assert.equal(limits.take('key')?.allowed, false);
  time.ms += minute;
  assert.equal(limits.take('key')?.allowed, true);
  assert.equal(limits.peek('key')?.remaining, 0);
  time.ms += minute;
  assert.equal(limits.peek('key')?.limit, 3, 'the hour has fewer or as many left and frees later');
});

test('shows the window with fewer calls remaining', () => {
  const time = { ms: 0 };
  const limits = limitsAt(time, 5, 6);
  for (let i = 0; i < 5; i++) limits.take('key');
  assert.deepEqual([limits.peek('key')?.limit, limits.peek('key')?.remaining], [5, 0]);
  time.ms += minute;
  assert.deepEqual([limits.peek('key')?.limit, limits.peek('key')?.remaining], [6, 1]);
});

test('0 turns a window off, and both off count nothing', () => {
  const time = { ms: 0 };
  const hourly = limitsAt(time, 0, 2);
  assert.deepEqual([hourly.take('a')?.limit, hourly.take('a')?.remaining], [2, 0]);
  const off = limitsAt(time, 0, 0);
  assert.equal(off.take('a'), undefined);
  assert.equal(off.peek('a'), undefined);
  assert.equal(off.size, 0);
});

test('a call that is taken back did not happen', () => {
  const time = { ms: 0 };
  const limits = limitsAt(time, 2, 10);
  limits.take('key');
  limits.take('key');
  limits.takeBack('key');
  assert.equal(limits.take('key')?.allowed, true);
  assert.equal(limits.take('key')?.allowed, false);
  limits.clear('key');
  assert.equal(limits.peek('key')?.remaining, 2);
});

test('forgets idle keys and never holds more than its bound', () => {
  const time = { ms: 0 };
  const limits = limitsAt(time, 10, 10, 100);
  for (let i = 0; i < 1000; i++) limits.take(`key ${i}`);
  assert.equal(limits.size, 100);
  time.ms += hour + 1;
  limits.take('late');
  assert.equal(limits.size, 1);
});
