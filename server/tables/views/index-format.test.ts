import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexFormat } from './index-format.ts';

const groupOf = (sizeBytes: number, rows: number): number =>
  Number(/row_group_size (?<rows>\d+)/.exec(indexFormat(sizeBytes, rows))?.groups?.['rows']);

test('a group of an index has a bounded size in rows and in text', () => {
  assert.equal(groupOf(1 << 30, 1 << 18), 2048);
  assert.equal(groupOf(1 << 30, 200_000), 2048);
  assert.equal(groupOf(1 << 30, 80_000), 625);
  assert.equal(groupOf(1 << 20, 1 << 20), 122_880);
  assert.equal(groupOf(64 << 20, 1), 1);
  assert.equal(groupOf(10, 0), 122_880);
});
