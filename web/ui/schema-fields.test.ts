import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  textsOf,
  asksModels,
  defaultsOf,
  fieldsOf,
  isComplete,
  isUnlimited,
  problemOf,
  type Field,
} from './schema-fields.ts';

const schema = {
  type: 'object',
  required: ['maxBlankLines', 'form', 'name'],
  properties: {
    maxBlankLines: { type: 'integer', default: 1, minimum: 0, maximum: 10, description: 'More are taken out' },
    share: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    form: { anyOf: [{ const: 'NFC' }, { const: 'NFKC' }], default: 'NFC' },
    level: { enum: [1, 2] },
    keep: { type: 'boolean', default: true },
    name: { type: 'string', maxLength: 3, pattern: '^[a-z]*$' },
    words: { type: 'array', items: { type: 'string' } },
    map: { type: 'object', properties: {} },
    permutations: { type: 'integer', multipleOf: 16, default: 128 },
    token: { type: 'string', writeOnly: true },
  },
};

function field(name: string): Field {
  const found = fieldsOf(schema).find((candidate) => candidate.name === name);
  assert.ok(found);
  return found;
}

test('each kind of parameter has its field', () => {
  assert.deepEqual(
    fieldsOf(schema).map(({ name, kind }) => `${name}:${kind}`),
    [
      'maxBlankLines:number',
      'share:number',
      'form:choice',
      'level:choice',
      'keep:boolean',
      'name:text',
      'words:texts',
      'map:json',
      'permutations:number',
      'token:text',
    ],
  );
});

test('a list is shown item by item, also one that an earlier release stored as a text', () => {
  assert.deepEqual(textsOf(['a, b', 'c']), ['a, b', 'c']);
  assert.deepEqual(textsOf('en, zh，de'), ['en', 'zh', 'de']);
  assert.deepEqual(textsOf('"a, b", "say ""x"""\nNew York'), ['a, b', 'say "x"', 'New York']);
  assert.deepEqual(textsOf(undefined), []);
  const [words] = fieldsOf({ properties: { words: { type: 'array', items: { type: 'string' }, 'x-lines': true } } });
  assert.equal(words?.kind === 'texts' && words.byLine, true);
});

test('names read as words, descriptions become help, what has a default is not required', () => {
  const { label, help, required } = field('maxBlankLines');
  assert.deepEqual(
    { label, help, required },
    { label: 'Max blank lines', help: 'More are taken out', required: false },
  );
  assert.equal(field('name').required, true);
  const [urls, tls] = fieldsOf({
    type: 'object',
    properties: { baseUrls: { type: 'string' }, tls: { type: 'boolean' } },
  });
  assert.deepEqual([urls?.label, tls?.label], ['Base URLs', 'TLS']);
  const token = field('token');
  assert.equal(token.kind === 'text' && token.isSecret, true);
  assert.equal(token.kind === 'text' && token.hasLines, false);
  const [key] = fieldsOf({ properties: { key: { type: 'string', writeOnly: true, contentMediaType: 'text/plain' } } });
  assert.equal(key?.kind === 'text' && key.isSecret && key.hasLines, true, 'a private key keeps its lines');
});

test('defaults are those of the schema', () => {
  assert.deepEqual(defaultsOf(fieldsOf(schema)), { maxBlankLines: 1, form: 'NFC', keep: true, permutations: 128 });
});

test('what a value breaks is named', () => {
  const cases: [string, unknown, string | undefined][] = [
    ['maxBlankLines', 1.5, 'integer'],
    ['maxBlankLines', -1, 'min'],
    ['maxBlankLines', 11, 'max'],
    ['maxBlankLines', '', 'required'],
    ['maxBlankLines', 10, undefined],
    ['permutations', 100, 'multiple'],
    ['permutations', 112, undefined],
    ['name', 'abcd', 'tooLong'],
    ['name', 'A', 'pattern'],
    ['name', '', 'required'],
    ['token', undefined, undefined],
  ];
  for (const [name, value, problem] of cases)
    assert.equal(problemOf(field(name), value)?.key, problem, `${name} ${String(value)}`);
});

test('a form is complete when every field may be sent', () => {
  const fields = fieldsOf(schema);
  assert.equal(isComplete(fields, { share: 0.5 }), false, 'name is missing');
  assert.equal(isComplete(fields, { share: 0.5, name: 'abc' }), true);
  assert.equal(isComplete(fields, { share: 2, name: 'abc' }), false);
});

test('a field for datasets is complete when each of them is chosen', () => {
  const fields = fieldsOf({
    properties: {
      references: { type: 'array', items: { type: 'object' }, maxItems: 20, default: [], 'x-datasets': true },
    },
  });
  assert.deepEqual(
    fields.map((one) => [one.kind, one.default]),
    [['datasets', []]],
  );
  assert.equal(isComplete(fields, {}), true);
  assert.equal(isComplete(fields, { references: [{ datasetId: 'a' }] }), true);
  assert.equal(isComplete(fields, { references: [{ datasetId: 'a' }, {}] }), false);
});

test('a field for a model is complete when one is chosen', () => {
  const fields = fieldsOf({ properties: { model: { type: 'string', default: '', 'x-models': 'CHAT' } } });
  assert.deepEqual(
    fields.map(({ kind }) => kind),
    ['model'],
  );
  assert.equal(asksModels(fields), true);
  assert.equal(isComplete(fields, {}), false);
  assert.equal(isComplete(fields, { model: 'm1' }), true);
});

test('a schema that is none has no fields', () => {
  assert.deepEqual(fieldsOf(undefined), []);
  assert.deepEqual(fieldsOf({ type: 'object' }), []);
});

test('a highest value that stands for no limit is one; lower ones are limits', () => {
  const length = (maximum: number, standard: number) =>
    fieldsOf({ properties: { max: { type: 'integer', maximum, default: standard } } }).map((field) =>
      isUnlimited(field, standard),
    );
  assert.deepEqual(length(1_000_000_000, 1_000_000_000), [true]);
  assert.deepEqual(length(1_000_000_000, 500), [false]);
  assert.deepEqual(length(1, 1), [false]);
});
