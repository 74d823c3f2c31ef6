import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  columnOfSampler,
  columnsBefore,
  linesOfValues,
  stagesOf,
  summaryOf,
  valuesOfLines,
  type ColumnDraft,
} from './column-draft.ts';

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

test('columns are made in stages; those of a circle in none', () => {
  const model = (name: string, prompt: string): ColumnDraft => ({ name, kind: 'MODEL', prompt });
  const graded: ColumnDraft = { name: 'grade', kind: 'JUDGE', of: ['question', 'answer'], rubric: 'Correct?' };
  const columns = [graded, model('answer', '{{question}} {{text}}'), model('question', 'For {{reader}}')];
  const reader: ColumnDraft = { name: 'reader', kind: 'SAMPLER', sampler: 'NUMBER', minimum: 1, maximum: 5 };
  assert.deepEqual(stagesOf([...columns, reader]), [['reader'], ['question'], ['answer'], ['grade']]);
  assert.deepEqual(stagesOf([reader, model('one', '{{other}}'), model('other', '{{one}}')]), [['reader']]);
  assert.deepEqual([reader, graded, model('answer', `Answer\n\n${'x'.repeat(200)}`)].map(summaryOf), [
    '1 – 5',
    'question, answer: Correct?',
    `Answer ${'x'.repeat(83)}…`,
  ]);
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
