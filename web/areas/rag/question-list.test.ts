import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuestions } from './question-list.ts';

test('questions of a CSV file are read by their columns, and rows without a source are named', () => {
  const { rows, problems } = readQuestions(
    'Question,Document,chunkId\n"What, if any?",soil.md,\nWhere?,,1-4\n,soil.md,\nWhy?,,\n\n',
  );
  assert.deepEqual(rows, [
    { question: 'What, if any?', document: 'soil.md' },
    { question: 'Where?', chunkId: '1-4' },
  ]);
  assert.deepEqual(problems, [
    { row: 4, problem: 'no-question' },
    { row: 5, problem: 'no-source' },
  ]);
});

test('other separators are found, and a file without the column has a problem', () => {
  assert.deepEqual(readQuestions('question;document\nWhat?;a.txt\n').rows, [{ question: 'What?', document: 'a.txt' }]);
  assert.deepEqual(readQuestions('a,b\n1,2\n'), { rows: [], problems: [{ row: 1, problem: 'no-column' }] });
});
