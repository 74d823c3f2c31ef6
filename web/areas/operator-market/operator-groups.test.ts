import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupOf } from './operator-groups.ts';

test('an operator is shown with those that do the same', () => {
  assert.equal(groupOf({ kind: 'DEDUPLICATOR', categories: ['cleaning'] }), 'deduplication');
  assert.equal(groupOf({ kind: 'SPLITTER', categories: [] }), 'splitting');
  assert.equal(groupOf({ kind: 'MAPPER', categories: ['privacy'] }), 'privacy');
  assert.equal(groupOf({ kind: 'MAPPER', categories: ['normalization', 'language'] }), 'normalization');
  assert.equal(groupOf({ kind: 'MAPPER', categories: ['cleaning', 'web'] }), 'cleaning');
  assert.equal(groupOf({ kind: 'FILTER', categories: ['filter', 'quality'] }), 'filter');
  assert.equal(groupOf({ kind: 'FILTER', categories: ['fields'] }), 'fields');
  assert.equal(groupOf({ kind: 'MAPPER', categories: ['quality', 'fields', 'model'] }), 'models');
  assert.equal(groupOf({ kind: 'SELECTOR', categories: ['fields'] }), 'selection');
});
