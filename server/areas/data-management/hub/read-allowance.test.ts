import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReadAllowance, type ReadAllowance, type ReadVersion } from './read-allowance.ts';

/** The number of free calls, out of more calls than any allowance here. */
function freeCalls(allowance: ReadAllowance, credentialId: string, version: ReadVersion): number {
  let free = 0;
  for (let call = 0; call < 100; call++) if (allowance.take(credentialId, version)) free += 1;
  return free;
}

test('four calls for each file, and four for each MiB, are free in an hour from the first one on', () => {
  let now = 5;
  const allowance = createReadAllowance({ monotonicMs: () => now });
  const version = { commit: 'one', files: 3, bytes: 2 * 1024 * 1024 + 1 };
  assert.equal(freeCalls(allowance, 'key', version), 4 * 3 + 4 * 3);
  assert.equal(freeCalls(allowance, 'other key', version), 24, 'each credential has its own');
  assert.equal(freeCalls(allowance, 'key', { commit: 'two', files: 1, bytes: 0 }), 4, 'and each version');
  now += 3_599_999;
  assert.equal(freeCalls(allowance, 'key', version), 0);
  now += 1;
  assert.equal(freeCalls(allowance, 'key', version), 24);
});
