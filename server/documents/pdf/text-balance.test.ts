import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countLetters, lettersOf, missingLetters } from './text-balance.ts';

test('the letters of a page are those of its text, tables and notes, whatever whole text a node repeats', () => {
  const note = { type: 'note', children: [{ type: 'text', text: 'ab' }] } as const;
  const nodes = [
    { type: 'paragraph', text: 'one, 2', children: [{ type: 'text', text: 'one, 2' }], notes: [note] },
    { type: 'heading', text: 'Über' },
  ];
  assert.equal(lettersOf(nodes as Parameters<typeof lettersOf>[0]), 3 + 2 + 4);
  assert.equal(countLetters('数据 clean 3'), 7);
});

test('letters are missing when they are more than the marks of lists', () => {
  assert.equal(missingLetters(10_000, 9951), 0);
  assert.equal(missingLetters(10_000, 9900), 100);
  assert.equal(missingLetters(30, 15), 0);
  assert.equal(missingLetters(30, 0), 30);
});
