import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutWords } from './words.ts';

test('words of ASCII are cut as Unicode cuts them', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const text = fc.string({ unit: fc.constantFrom(...'abZ019_.\',;:"-/ \n'), maxLength: 40 });
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: 'binary-ascii' })), (whole) => {
      // The segmenter's words may contain colons, those of the index may not; underscores alone are not words.
      const expected = [...segmenter.segment(whole)].flatMap(({ segment, isWordLike }) =>
        isWordLike === true ? segment.split(':').filter((word) => /[0-9A-Za-z]/.test(word)) : [],
      );
      const words = cutWords(whole);
      assert.deepEqual(
        words.map(({ start, end }) => whole.slice(start, end)),
        expected,
      );
      assert.deepEqual(
        words.map(({ word }) => word),
        expected.map((word) => word.toLowerCase()),
      );
    }),
    { numRuns: 5_000 },
  );
});
