// The rate of an upload.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRateMeter } from './rate-meter.ts';

test('a rate is that of the last eight seconds', () => {
  const meter = createRateMeter();
  meter.add(8000, 0);
  meter.add(4000, 4000);
  assert.equal(meter.bytesPerSecond(4000), 3000);
  assert.equal(meter.bytesPerSecond(9000), 800);
  assert.equal(meter.bytesPerSecond(20_000), 0);
});
