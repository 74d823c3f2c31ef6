import assert from 'node:assert/strict';
import { test } from 'node:test';
import { regexReplacer } from './regex-replacer.ts';

const text = 'x'.repeat(10_000);

test('a text grows tenfold and by a million characters by its replacements, and no further', () => {
  const grown = (characters: number): number => {
    const outcome = regexReplacer.each({ pattern: 'x', replacement: 'y'.repeat(characters), ignoreCase: false })({
      text,
    });
    assert.ok('text' in outcome);
    return outcome.text?.length ?? 0;
  };
  assert.equal(grown(110), 1_100_000);
  assert.throws(() => grown(111), /^Error: the replacements make more than 1100000 characters of a text of 10000$/);
});

test('a replacement that repeats a long group fails before it is written', () => {
  const each = regexReplacer.each({ pattern: '(x+)', replacement: '$1'.repeat(500), ignoreCase: false });
  assert.throws(() => each({ text: text.repeat(100) }), /^Error: the replacements make more than 11000000 characters/);
});
