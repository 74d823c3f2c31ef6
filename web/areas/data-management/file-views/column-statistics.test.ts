import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statisticsOf } from './column-statistics.ts';
import { formatCount } from '../../../ui/format.ts';
import { readJsonlHead, type HeadRow } from './table-head.ts';

const rowsOf = (values: readonly unknown[]): HeadRow[] =>
  values.map((value, index) => ({ number: index + 1, cells: value === undefined ? {} : { a: value } }));

test('a column has the type of its values, and mixed ones say so', () => {
  const typeOf = (values: readonly unknown[], isText = false): string => statisticsOf(rowsOf(values), 'a', isText).type;
  assert.equal(typeOf(['x', 'yy']), 'text');
  assert.equal(typeOf([1, 2.5, null]), 'number');
  assert.equal(typeOf([true, false]), 'boolean');
  assert.equal(typeOf([[1], []]), 'list');
  assert.equal(typeOf([{ b: 1 }]), 'object');
  assert.equal(typeOf([1, 'x']), 'mixed');
  assert.equal(typeOf([null, undefined, '']), 'empty');
  assert.equal(typeOf(['1', '-2.5', '3e4'], true), 'number', 'cells of CSV are texts');
  assert.equal(typeOf(['1', '2']), 'text', 'a text of JSON is one, whatever stands in it');
});

test('what is empty is counted among the rows that could be read', () => {
  const rows = [...rowsOf(['x', null, '', undefined]), { number: 5, raw: '{"a' }];
  assert.equal(statisticsOf(rows, 'a', false).emptyShare, 0.75);
});

test('a histogram counts every value once: lengths of texts, values of numbers', () => {
  const lengths = statisticsOf(rowsOf(['', 'a', 'bb', 'c'.repeat(12)]), 'a', false).histogram;
  assert.deepEqual([lengths?.from, lengths?.to], [1, 12]);
  assert.equal(
    lengths?.counts.reduce((sum, count) => sum + count, 0),
    3,
  );
  const numbers = statisticsOf(rowsOf([0, 5, 10]), 'a', false).histogram;
  assert.deepEqual([numbers?.from, numbers?.to, numbers?.counts[0], numbers?.counts.at(-1)], [0, 10, 1, 1]);
  assert.deepEqual(statisticsOf(rowsOf([7, 7]), 'a', false).histogram?.counts[0], 2);
});

test('a range of whole numbers beyond 2^53 is exact, in JSON as in texts of CSV', () => {
  const low = '1152921504606846977';
  const high = '1152921504606846979';
  const { rows } = readJsonlHead(`{"a":${high}}\n{"a":${low}}\n{"a":${low}}\n`, true);
  for (const found of [statisticsOf(rows, 'a', false), statisticsOf(rowsOf([high, low]), 'a', true)]) {
    assert.equal(found.type, 'number');
    assert.deepEqual([found.histogram?.from, found.histogram?.to], [BigInt(low), BigInt(high)]);
  }
  assert.equal(formatCount(BigInt(low), 'en'), '1,152,921,504,606,846,977');
  const mixed = statisticsOf(readJsonlHead(`{"a":1}\n{"a":${low}}\n{"a":0.5}`, true).rows, 'a', false).histogram;
  assert.deepEqual([mixed?.from, mixed?.to, mixed?.counts[0], mixed?.counts.at(-1)], [0.5, BigInt(low), 2, 1]);
});
