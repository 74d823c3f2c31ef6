import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysOf } from './run-days.ts';

test('runs stand on the day they were begun, by how they ended', () => {
  const now = new Date(2026, 10, 22, 14);
  const run = (day: number, status: 'COMPLETED' | 'FAILED' | 'RUNNING', failed = 0) => ({
    status,
    counts: { failed },
    createdAt: new Date(2026, 10, day, 23, 59).toISOString(),
  });
  const days = daysOf([run(22, 'COMPLETED'), run(22, 'COMPLETED', 3), run(21, 'FAILED'), run(8, 'RUNNING')], now, 14);
  assert.equal(days.length, 14);
  assert.deepEqual(days.at(-1)?.counts, { completed: 1, other: 0, withFailures: 1, failed: 0 });
  assert.deepEqual(days.at(-2)?.counts, { completed: 0, other: 0, withFailures: 0, failed: 1 });
  assert.equal(
    days.reduce((sum, { total }) => sum + total, 0),
    3,
    'the one of two weeks ago is beyond',
  );
});
