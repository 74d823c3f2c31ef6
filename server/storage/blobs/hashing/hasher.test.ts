import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createHasher } from './hasher.ts';

test('a hash whose bytes were not all taken has no digest, and the next one is whole', async (t) => {
  const hasher = createHasher(new SharedArrayBuffer(1 << 16));
  t.after(() => hasher.close());
  const broken = hasher.startOrdered();
  broken.feedCopy(Buffer.from('first half'));
  // A value that can't be hashed.
  broken.feedCopy({ length: 3 } as unknown as Uint8Array);
  const other = hasher.startOrdered();
  other.feedCopy(Buffer.from('of another'));
  assert.equal(await other.digest(), createHash('sha256').update('of another').digest('hex'));
  broken.feedCopy(Buffer.from('second half'));
  assert.equal(await broken.digest(), null);
});
