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

test('everyday words find what operators call otherwise', () => {
  assert.deepEqual(found('delete links'), ['url-remover']);
  assert.deepEqual(found('please delete all the links'), ['url-remover']);
  assert.deepEqual(found('hide mobile numbers'), ['pii-masker']);
  assert.deepEqual(found('too long'), ['text-length-filter']);
});

test('without an operator that has all words, those with most of them are found', () => {
  assert.deepEqual(found('phone numbers xylophone'), ['pii-masker']);
  assert.deepEqual(found('xylophone trombone phone'), []);
});

test('Chinese is found by its words', () => {
  const chinese = [
    operator('url-masker', '遮盖网址', '用标记代替网址。'),
    operator('email-masker', '遮盖电子邮件地址', '用标记代替电子邮件地址。'),
  ];
  const ids = (wanted: string): string[] => findOperators(chinese, wanted).map(({ id }) => id);
  assert.deepEqual(ids('删除链接'), ['url-masker']);
  assert.deepEqual(ids('把邮箱脱敏'), ['email-masker']);
  assert.deepEqual(ids('图片'), []);
});
