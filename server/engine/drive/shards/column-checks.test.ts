import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParquetFacts } from '../../../tables/parquet/index.ts';
import { bytesOf } from './column-checks.ts';

const factsOf = (columnBytes: Record<string, number>): ParquetFacts => ({
  rows: 1,
  columns: [],
  columnBytes,
  columnChunks: {},
});

test('values of a nested column are those whose path has its whole name at its beginning', () => {
  const facts = factsOf({ a: 1, 'a, b': 10, 'ab, c': 100, 'x, y, element': 1_000, 'x, y2': 10_000 });
  assert.equal(bytesOf(facts, ['a']), 11);
  assert.equal(bytesOf(facts, ['x, y', 'ab']), 1_100);
  assert.equal(bytesOf(facts, []), 0);
});

test('a file of 50,000 columns takes time in proportion to them', () => {
  const columns = Array.from({ length: 50_000 }, (_, number) => `column ${number}`);
  const facts = factsOf(Object.fromEntries(columns.map((name) => [`${name}, list, element`, 1])));
  const before = process.cpuUsage();
  assert.equal(bytesOf(facts, columns), 50_000);
  assert.ok(process.cpuUsage(before).user < 5_000_000);
});
