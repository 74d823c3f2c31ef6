import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, moved, parseLayout, resized, usualLayout, usualWidth, withHidden } from './column-layout.ts';

const columns = ['a', 'b', 'c', 'd'].map((name) => ({ name, type: 'VARCHAR' }));
const names = (layout: typeof usualLayout): string =>
  inOrder(columns, layout)
    .map(({ name }) => name)
    .join('');

test('columns move among those that are shown', () => {
  assert.equal(names(moved(usualLayout, columns, 'c', -1)), 'acbd');
  assert.equal(names(moved(usualLayout, columns, 'a', 1)), 'bacd');
  assert.equal(names(moved(usualLayout, columns, 'a', -1)), 'abcd');
  const hidden = withHidden(usualLayout, 'b', true);
  assert.equal(names(moved(hidden, columns, 'c', -1)), 'cabd', 'a hidden column is no place to stop at');
  assert.equal(names(moved(usualLayout, columns, 'a', 9)), 'bcda');
});

test('columns that came later stand behind those that were arranged', () => {
  assert.equal(names({ ...usualLayout, order: ['d', 'gone', 'c'] }), 'dcab');
});

test('a width has limits, and can be forgotten', () => {
  assert.equal(resized(usualLayout, 'a', 5).widths['a'], 64);
  assert.deepEqual(resized(resized(usualLayout, 'a', 300), 'a', undefined).widths, {});
  assert.ok(usualWidth({ name: 'id', type: 'BIGINT' }, [2]) < usualWidth({ name: 'id', type: 'VARCHAR' }, [400]));
});

test('what was stored is read, whatever it is', () => {
  assert.deepEqual(parseLayout(JSON.stringify({ order: ['a', 1], hidden: 'x', widths: { a: 90, b: 'x' } })), {
    order: ['a'],
    hidden: [],
    widths: { a: 90 },
  });
  for (const text of [null, 'null', '{', '[]']) assert.deepEqual(parseLayout(text), usualLayout);
});
