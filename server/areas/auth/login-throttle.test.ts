import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../kernel/errors.ts';
import { createLoginThrottle, createOwnFailures, type LoginThrottle } from './login-throttle.ts';

const quarter = 15 * 60 * 1000;
const wrong = async () => false;
const right = async () => true;

function throttleAt(time: { ms: number }): LoginThrottle {
  return createLoginThrottle(createOwnFailures({ monotonicMs: () => time.ms, wallMs: () => 1e12 + time.ms }));
}

async function refused(attempt: Promise<boolean>): Promise<AppError> {
  const error = await attempt.then(
    () => assert.fail('the attempt ran'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError);
  assert.equal(error.kind, 'rate-limited');
  return error;
}

test('ten failures for a user from one address, then nothing for 15 minutes, not even the right password', async () => {
  const time = { ms: 0 };
  const throttle = throttleAt(time);
  for (let i = 0; i < 10; i++) assert.equal(await throttle.attempt('admin', '192.0.2.1', wrong), false);
  const error = await refused(throttle.attempt('admin', '192.0.2.1', right));
  assert.equal(error.retryAfterSeconds, 900);
  assert.equal(await throttle.attempt('vera', '192.0.2.1', right), true, 'another user');
  assert.equal(await throttle.attempt('admin', '192.0.2.2', right), true, 'another address');
  time.ms += quarter;
  assert.equal(await throttle.attempt('admin', '192.0.2.1', right), true);
});

test('success clears', async () => {
  const throttle = throttleAt({ ms: 0 });
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 9; i++) await throttle.attempt('admin', '192.0.2.1', wrong);
    assert.equal(await throttle.attempt('admin', '192.0.2.1', right), true);
  }
});

test('a hundred failures from one address, whatever the names', async () => {
  const throttle = throttleAt({ ms: 0 });
  for (let i = 0; i < 100; i++) assert.equal(await throttle.attempt(`user ${i}`, '192.0.2.1', wrong), false);
  await refused(throttle.attempt('somebody', '192.0.2.1', right));
  assert.equal(await throttle.attempt('somebody', '192.0.2.2', right), true);
});

test('no burst slips through: of a hundred attempts at once ten run', async () => {
  const throttle = throttleAt({ ms: 0 });
  let ran = 0;
  const attempts = Array.from({ length: 100 }, () =>
    throttle.attempt('admin', '192.0.2.1', async () => {
      ran++;
      await Promise.resolve();
      return false;
    }),
  );
  await Promise.allSettled(attempts);
  assert.equal(ran, 10);
});

test('right passwords at the same time all get in', async () => {
  const throttle = throttleAt({ ms: 0 });
  const attempts = Array.from({ length: 50 }, () => throttle.attempt('admin', '192.0.2.1', right));
  assert.ok((await Promise.all(attempts)).every(Boolean));
});

test('an attempt that breaks does not block the next', async () => {
  const throttle = throttleAt({ ms: 0 });
  const broken = throttle.attempt('admin', '192.0.2.1', () => Promise.reject(new Error('no database')));
  const next = throttle.attempt('admin', '192.0.2.1', right);
  await assert.rejects(broken, /no database/);
  assert.equal(await next, true);
});
