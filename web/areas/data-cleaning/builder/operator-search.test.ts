import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOperators } from './operator-search.ts';

const operator = (id: string, name: string, description: string, params: Record<string, object> = {}) => ({
  id,
  name,
  description,
  categories: [],
  paramsSchema: { type: 'object', properties: params },
});

const operators = [
  operator('text-length-filter', 'Filter by text length', 'Drops samples whose text is shorter than a minimum.'),
  operator('url-remover', 'Remove web addresses', 'Takes out URLs and puts a text in their place.'),
  operator('pii-masker', 'Mask personal data', 'Puts marks in place of phone numbers.', {
    email: { type: 'boolean', title: 'E-mail addresses' },
  }),
];
const found = (wanted: string): string[] => findOperators(operators, wanted).map(({ id }) => id);

test('operators are found by what they do, whatever the spelling', () => {
  assert.deepEqual(found('shorter texts'), ['text-length-filter']);
  assert.deepEqual(found('Phone'), ['pii-masker']);
  assert.deepEqual(found('email'), ['pii-masker']);
  assert.deepEqual(found('phones'), ['pii-masker']);
  assert.deepEqual(found('nothing like it'), []);
});

test('a hit in the name comes first, and no word finds all', () => {
  assert.deepEqual(found('addresses'), ['url-remover', 'pii-masker']);
  assert.deepEqual(found(' '), ['text-length-filter', 'url-remover', 'pii-masker']);
});
