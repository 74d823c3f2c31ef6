import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAgo, formatBytes, formatDuration, formatShare } from './format.ts';
import { readListSearch, readSort } from './list-search.ts';

test('sizes have three digits and a unit', () => {
  const cases: [number, string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [1536, '1.54 kB'],
    [999_600, '1 MB'],
    [12_345_678, '12.3 MB'],
    [5_000_000_000, '5 GB'],
  ];
  for (const [bytes, text] of cases) assert.equal(formatBytes(bytes, 'en'), text);
});

test('durations are in two units at most', () => {
  assert.equal(formatDuration(850, 'en'), '850 ms');
  assert.equal(formatDuration(12_000, 'en'), '12 sec');
  assert.equal(formatDuration(185_000, 'en'), '3 min 5 sec');
  assert.equal(formatDuration(7_440_000, 'en'), '2 hr 4 min');
});

test('times are told from now', () => {
  const now = new Date('2026-01-31T08:00:00Z');
  assert.equal(formatAgo(new Date('2026-01-31T07:59:40Z'), now, 'en'), undefined);
  assert.equal(formatAgo(new Date('2026-01-31T07:55:00Z'), now, 'en'), '5 minutes ago');
  assert.equal(formatAgo(new Date('2026-01-30T08:00:00Z'), now, 'en'), 'yesterday');
});

test('an address keeps what makes sense only', () => {
  assert.deepEqual(readListSearch({ page: -1, size: 5000, sort: 'name;drop', keyword: '' }), {});
  assert.deepEqual(readListSearch({ page: 3, size: 50, sort: 'name,desc', keyword: 7 }), {
    page: 3,
    size: 50,
    sort: 'name,desc',
    keyword: '7',
  });
  assert.deepEqual(readSort('name,desc'), { field: 'name', direction: 'desc' });
  assert.equal(readSort('name'), undefined);
});

test('a share that is not none is never shown as nothing, nor one that is not all as all', () => {
  const shown = (share: number): string => formatShare(share, 'en');
  assert.deepEqual([0, 1, 0.5, 0.123, 0.0123].map(shown), ['0%', '100%', '50%', '12.3%', '1.23%']);
  assert.deepEqual([0.000_04, 1e-9, 0.000_05].map(shown), ['<0.01%', '<0.01%', '0.01%']);
  assert.deepEqual([0.999_4, 0.999_5, 0.999_999].map(shown), ['99.9%', '>99.9%', '>99.9%']);
});
