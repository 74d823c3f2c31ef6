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

test('the cells of a table are no phones', () => {
  const table = operator('table-reader', 'Remove tables', 'Writes the cells of each row on a line.');
  const ids = findOperators([...operators, table], 'remove phones').map(({ id }) => id);
  assert.deepEqual(ids, ['pii-masker']);
});

test('without an operator that has all words, those with most of them are found', () => {
  assert.deepEqual(found('phone numbers xylophone'), ['pii-masker']);
  assert.deepEqual(found('xylophone trombone phone'), []);
});

test('a word that most operators have finds nothing alone where the rest of the search is unknown', () => {
  const many = Array.from({ length: 30 }, (_, at) =>
    operator(`part-remover-${at}`, `Remove part ${at}`, 'Takes it out.'),
  );
  const page = operator('main-content-extractor', 'Extract the main content of a page', 'Leaves menus out.');
  const ids = (wanted: string): string[] => findOperators([...many, page], wanted).map(({ id }) => id);
  assert.deepEqual(ids('remove watermarks'), []);
  assert.equal(ids('remove').length, 30);
  assert.deepEqual(ids('ads'), ['main-content-extractor']);
});

test('what people say for a step is found before what has a word of it', () => {
  const chinese = [
    operator('repetition-filter', '按重复过滤', '剔除重复过多的样本。'),
    operator('exact-deduplicator', '去除完全重复', '在全部输入中保留第一个。'),
    operator('row-key-deduplicator', '按键去重', '在全部输入中保留第一行。'),
  ];
  const ids = (wanted: string): string[] => findOperators(chinese, wanted).map(({ id }) => id);
  assert.deepEqual(ids('去重'), ['exact-deduplicator', 'row-key-deduplicator']);
  assert.deepEqual(ids('重复'), ['repetition-filter', 'exact-deduplicator']);
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
