import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageOfHighlights } from './highlight-pages.ts';

const text = '😀 invoice 1 total 12.00. invoice 2 total 317.50. invoice 3 total 9.00.';
const pages = [
  { page: 4, start: 0 },
  { page: 5, start: Array.from(text.slice(0, text.indexOf('invoice 2'))).length },
  { page: 7, start: Array.from(text.slice(0, text.indexOf('invoice 3'))).length },
];

/** Words that are highlighted wherever they stand, and the page of the hit. */
const cases: readonly [words: readonly string[], page: number][] = [
  [['317.50'], 5],
  [['9.00'], 7],
  [['12.00'], 4],
  [['invoice'], 4],
  [['invoice', 'total', '9.00'], 7],
  [['total', '317.50', '12.00'], 4],
  [[], 4],
];
for (const [words, page] of cases) {
  test(`the page of a hit for ${words.join(' ') || 'nothing'}`, () => {
    const highlights = words.flatMap((word) =>
      [...text.matchAll(new RegExp(word.replace('.', String.raw`\.`), 'g'))].map(({ index }) => {
        const start = Array.from(text.slice(0, index)).length;
        return { start, end: start + word.length };
      }),
    );
    assert.equal(pageOfHighlights({ page: 4, text, highlights }, pages), page);
  });
}

test('a hit on one page, or in a text without pages, stays there', () => {
  const highlights = [{ start: 0, end: 1 }];
  assert.equal(pageOfHighlights({ page: 3, text: 'x', highlights }, [{ page: 3, start: 0 }]), 3);
  assert.equal(pageOfHighlights({ page: null, text: 'x', highlights }, []), null);
});
