import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGuilty } from './loss-search.ts';

test('the sample that ends processes is found by few tries, wherever it is', async () => {
  for (const guilty of [0, 1, 62, 63, 64, 65, 4095, 4096, 100_000, 2 ** 18, 10_000_000]) {
    let tries = 0;
    const found = await findGuilty(async (until) => {
      tries += 1;
      return until > guilty;
    });
    assert.equal(found, guilty);
    assert.ok(tries <= 30, `${tries} tries for ${guilty}`);
  }
});

test('a loss before any sample, and none, are told apart', async () => {
  assert.equal(await findGuilty(async () => true), -1);
  assert.equal(await findGuilty(async () => false), undefined);
});
