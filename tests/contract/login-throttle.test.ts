import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServiceWithUsers, userPassword } from './service.ts';
import { Login } from './shapes.ts';
import { longTest } from '../support/long-tests.ts';

test('login is throttled', async (t) => {
  const { anonymous } = await startServiceWithUsers(t);
  const wrong = (username: string) => anonymous.post('/auth/login', { username, password: 'wrong' });
  const right = (username: string) => anonymous.post('/auth/login', { username, password: userPassword });

  await t.test('success clears the failures before it', async () => {
    for (let round = 0; round < 2; round += 1) {
      for (let failure = 0; failure < 9; failure += 1) (await wrong('vera')).fails(401);
      (await right('vera')).is(200, Login);
    }
  });

  await t.test('after 10 failures even the right password is refused', async () => {
    for (let failure = 0; failure < 10; failure += 1) (await wrong('vera')).fails(401);
    const answer = await right('vera');
    answer.fails(429);
    const retryAfter = Number(answer.header('Retry-After'));
    assert.ok(retryAfter >= 1 && retryAfter <= 15 * 60, `Retry-After ${retryAfter}`);
    (await wrong('vera')).fails(429);
  });

  await t.test('another user of the same address is not', async () => {
    (await right('erin')).is(200, Login);
  });

  await t.test('40 attempts at once are 10 attempts, for a user that doesn’t exist, too', async () => {
    for (const username of ['erin', 'nobody']) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => wrong(username)));
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(
        [...new Set(statuses)].toSorted((a, b) => a - b),
        [401, 429],
      );
      assert.equal(statuses.filter((status) => status === 401).length, 10, username);
    }
  });
});

longTest('100 failures of one address, whoever they are for', async (t) => {
  const { anonymous } = await startServiceWithUsers(t);
  const statuses: number[] = [];
  for (let batch = 0; batch < 12; batch += 1) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        anonymous.post('/auth/login', { username: `user-${batch}-${index}`, password: 'wrong' }),
      ),
    );
    statuses.push(...answers.map(({ status }) => status));
  }
  assert.deepEqual(
    [statuses.filter((status) => status === 401).length, statuses.slice(100)],
    [100, Array.from({ length: 20 }, () => 429)],
  );
});
