import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSampleOperator, operators, parseParams } from './index.ts';
import { itemsOf, wordsIn } from './list-param.ts';

const lists: readonly [operatorId: string, param: string][] = [
  ['language-filter', 'languages'],
  ['column-remover', 'columns'],
  ['column-selector', 'columns'],
  ['column-filler', 'columns'],
  ['column-trimmer', 'columns'],
  ['column-caster', 'columns'],
  ['row-key-deduplicator', 'columns'],
  ['category-filter', 'values'],
  ['xml-to-text', 'elements'],
  ['xml-to-text', 'without'],
  ['phone-masker', 'regions'],
  ['word-masker', 'words'],
  ['word-remover', 'words'],
];

function parsed(operatorId: string, params: object): Readonly<Record<string, unknown>> {
  const operator = operators.find(({ id }) => id === operatorId);
  assert.ok(operator, operatorId);
  const result = parseParams(operator, params);
  assert.ok(result.ok, `${operatorId}: ${JSON.stringify(result)}`);
  return result.params;
}

test('a list is an array in the API and in the catalogue; a text with commas is read as one', () => {
  for (const [operatorId, param] of lists) {
    assert.deepEqual(parsed(operatorId, { [param]: ['de', 'fr'] })[param], ['de', 'fr'], operatorId);
    assert.deepEqual(parsed(operatorId, { [param]: 'de, fr' })[param], ['de', 'fr'], operatorId);
    const schema: unknown = operators.find(({ id }) => id === operatorId)?.params.properties[param];
    const { type, items } = schema as { type: string; items: { type: string } };
    assert.deepEqual([type, items.type], ['array', 'string'], operatorId);
  }
});

test('what is no list of texts is refused at its field', () => {
  const [operator] = operators.filter(({ id }) => id === 'language-filter');
  assert.ok(operator);
  for (const languages of [5, [5], { en: true }, [], '', ['english'], 'en; zh'])
    assert.equal(parseParams(operator, { languages }).ok, false, JSON.stringify(languages));
});

test('items of an array may contain commas and quotation marks; in a text they are quoted', () => {
  assert.deepEqual(itemsOf(['a, b', 'c"d', 'a, b']), ['a, b', 'c"d']);
  assert.deepEqual(itemsOf('"a, b", "c""d"，e'), ['a, b', 'c"d', 'e']);
  assert.deepEqual(wordsIn('New York\nBerlin、Paris; x'), ['New York', 'Berlin', 'Paris', 'x']);
  assert.deepEqual(parsed('column-remover', { columns: ['a, b'] })['columns'], ['a, b']);
});

test('operators read the texts that definitions of earlier releases store', () => {
  const given: readonly [string, object, object, object][] = [
    [
      'column-remover',
      { columns: 'a, b', missing: 'KEEP' },
      { columns: { a: 1, b: 2, c: 3 } },
      { columns: { a: undefined, b: undefined } },
    ],
    [
      'category-filter',
      { column: 'lang', values: 'en, zh', mode: 'DROP', ignoreCase: false, missing: 'FAIL' },
      { columns: { lang: 'zh' } },
      { verdict: 'drop' },
    ],
    [
      'language-filter',
      { languages: 'en, zh', minConfidence: 0.01, keepUndetermined: true },
      { text: 'Dies ist ein deutscher Text über die Reinigung von Daten.' },
      { verdict: 'drop' },
    ],
    [
      'xml-to-text',
      { elements: 'p', without: 'note' },
      { text: '<a><p>x<note>y</note></p><q>z</q></a>' },
      { text: 'x' },
    ],
    [
      'phone-masker',
      { regions: 'DE FR', mode: 'TAG', key: '' },
      { text: 'Tel. 01 42 68 53 00' },
      { text: 'Tel. [PHONE]' },
    ],
    [
      'word-masker',
      { words: 'Acme\nBerlin', ignoreCase: true, tag: 'WORD', mode: 'TAG', key: '' },
      { text: 'Acme' },
      { text: '[WORD]' },
    ],
  ];
  for (const [operatorId, params, sample, expected] of given) {
    const operator = operators.find(({ id }) => id === operatorId);
    assert.ok(operator !== undefined && isSampleOperator(operator), operatorId);
    const outcome = operator.each(params as Readonly<Record<string, unknown>>)(sample);
    for (const [key, value] of Object.entries(expected))
      assert.deepEqual((outcome as unknown as Record<string, unknown>)[key], value, operatorId);
  }
});
