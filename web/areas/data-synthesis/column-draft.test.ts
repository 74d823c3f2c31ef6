import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnOfSampler, columnsBefore, linesOfValues, valuesOfLines, type ColumnDraft } from './column-draft.ts';

test('a column comes after those that its prompt, expression or list names', () => {
  const columns: ColumnDraft[] = [
    { name: 'reader', kind: 'SAMPLER', sampler: 'CATEGORY' },
    { name: 'question', kind: 'MODEL', prompt: 'For {{ reader }}: {{text}} {{row.reader_age}}' },
    { name: 'label', kind: 'EXPRESSION', expression: 'question + " (reader) " + file.path' },
    { name: 'asks', kind: 'VALIDATOR', of: ['question'], pattern: '\\?$' },
  ];
  assert.deepEqual(
    columns.map((column) => columnsBefore(column, columns)),
    [[], ['reader'], ['question'], ['question']],
  );
});

test('values are lines with weights, and stay what they are', () => {
  const values = [{ value: 'a farmer', weight: 3 }, { value: 'this | or that' }, { value: 'a child', weight: 0.5 }];
  assert.equal(linesOfValues(values), 'a farmer | 3\nthis | or that\na child | 0.5');
  assert.deepEqual(valuesOfLines(`${linesOfValues(values)}\n \n`), values);
});

test('another sampler keeps name and seed, and nothing of the one before', () => {
  const next = columnOfSampler('NUMBER', {
    name: 'age',
    kind: 'SAMPLER',
    sampler: 'CATEGORY',
    values: [{ value: 'x' }],
    seed: 7,
  });
  assert.deepEqual(next, {
    name: 'age',
    kind: 'SAMPLER',
    sampler: 'NUMBER',
    seed: 7,
    minimum: 1,
    maximum: 10,
  });
});
