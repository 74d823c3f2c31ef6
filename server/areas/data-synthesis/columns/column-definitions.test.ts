import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordColumn } from '../schemas/columns.ts';
import { orderColumns, parseColumns } from './column-definitions.ts';

const tone: RecordColumn = { name: 'tone', kind: 'SAMPLER', sampler: 'CATEGORY', values: [{ value: 'calm' }] };
const draft: RecordColumn = { name: 'draft', kind: 'MODEL', prompt: 'In a {{tone}} tone for {{reader}}:\n{{text}}' };
const title: RecordColumn = { name: 'title', kind: 'EXPRESSION', expression: 'tone + ": " + draft' };
const grade: RecordColumn = { name: 'grade', kind: 'JUDGE', of: ['draft'], rubric: 'Is it {{tone}}?', minScore: 5 };
const check: RecordColumn = { name: 'check', kind: 'VALIDATOR', of: ['draft'], pattern: '^[A-Z]' };

test('columns are made in the order of what they use, validators as soon as they can', () => {
  const given = [grade, check, title, draft, tone];
  const parsed = parseColumns(given, ['reader']);
  assert.deepEqual(parsed, given);
  assert.deepEqual(
    orderColumns(parsed, ['reader']).map(({ name }) => name),
    ['tone', 'draft', 'check', 'grade', 'title'],
  );
});

const refused: readonly (readonly [columns: readonly RecordColumn[], message: RegExp])[] = [
  [[tone, tone], /columns\[1\]\.name is the name of an earlier column: tone/],
  [[{ ...tone, name: 'text' }], /columns\[0\]\.name must not be text, row or file/],
  [[{ ...tone, name: '__proto__' }], /columns\[0\]\.name must not use the name __proto__/],
  [[{ ...tone, name: 'constructor' }], /must not use the name constructor/],
  [[{ ...tone, name: 'reader' }], /columns\[0\]\.name is the name of a variable/],
  [[{ ...tone, name: 'import' }], /columns\[0\]\.name is a word of the language/],
  [[draft], /columns\[0\]\.prompt names neither a column nor a variable: tone/],
  [[tone, draft, { ...check, of: ['darft'] }], /columns\[2\]\.of names neither a column nor a variable: darft/],
  [[tone, draft, check, { ...grade, of: ['check'] }], /columns\[3\]\.of names a validator/],
  [[{ ...draft, prompt: '{{draft.title}}' }], /columns depend on each other in a circle: draft → draft/],
  [
    [tone, { ...draft, prompt: 'After {{title}}' }, title],
    /columns depend on each other in a circle: draft → title → draft/,
  ],
  [[{ ...title, expression: 'tone + nobody' }, tone], /columns\[0\]\.expression is no expression of CEL: .*nobody/],
  [[{ ...title, expression: 'tone +' }, tone], /columns\[0\]\.expression is no expression of CEL/],
  [[{ ...title, expression: 'tone.matches("(a+)+$")' }, tone], /matches\(\) is not supported/],
  [[{ ...title, expression: 'row.map(a, row.map(b, b))' }], /must not stand within another loop/],
  [[tone, { ...check, of: ['tone'], pattern: '(?=a)' }], /columns\[1\]\.pattern is no regular expression of RE2/],
  [[tone, { name: 'c', kind: 'VALIDATOR', of: ['tone'] }], /columns\[1\] needs one of schema, pattern/],
  [[{ ...tone, prompt: 'x' }], /columns\[0\]\.prompt is no field of SAMPLER/],
  [[{ ...tone, minimum: 1 }], /columns\[0\]\.minimum is no field of CATEGORY/],
  [[{ name: 'a', kind: 'SAMPLER', sampler: 'NUMBER', minimum: 1 }], /columns\[0\]\.maximum is required when sampler/],
  [[{ name: 'a', kind: 'SAMPLER', sampler: 'NUMBER', minimum: 3, maximum: 1 }], /columns\[0\]\.minimum must not be gr/],
  [[{ name: 'a', kind: 'SAMPLER', sampler: 'DATE', from: '2026-02-30', to: '2026-03-01' }], /from is no day/],
  [[{ ...tone, values: [{ value: 'a', weight: 0 }] }], /columns\[0\]\.values must have one with a weight/],
  [[{ name: 'a', kind: 'MODEL' }], /columns\[0\]\.prompt is required when kind is MODEL/],
  [
    [{ name: 'a', kind: 'MODEL', prompt: 'x', checks: { grounding: { field: 'a', min: 1 } } }],
    /names no field of outputSchema: a/,
  ],
  [[{ ...tone, hidden: true }], /columns need one that is part of the record/],
];

for (const [columns, message] of refused) {
  test(`refused: ${message.source}`, () => {
    assert.throws(() => parseColumns(columns, ['reader']), message);
  });
}
