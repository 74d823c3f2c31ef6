import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createKeywordSearch } from './keywords.ts';

function found(keywords: readonly string[], text: string, wholeWords: boolean): string[] {
  const all: string[] = [];
  createKeywordSearch(keywords, { ignoreCase: true, wholeWords })(text, (index) => all.push(keywords[index] ?? ''));
  return all.toSorted();
}

test('every occurrence is found that a search for each keyword alone finds', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '高', ' '), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.uniqueArray(piece, { selector: (text) => text.toLowerCase(), maxLength: 6 }),
      fc.array(piece),
      (keywords, parts) => {
        const text = parts.join('');
        const expected = keywords.flatMap((keyword) => {
          const places = [...text].filter((_, at) => text.toLowerCase().startsWith(keyword.toLowerCase(), at));
          return places.map(() => keyword);
        });
        assert.deepEqual(found(keywords, text, false), expected.toSorted());
      },
    ),
  );
});

test('whole words are those that no letter or digit continues; Chinese is found anywhere', () => {
  assert.deepEqual(found(['port', '微信'], 'Port, report port2 加微信吧 port', true), ['port', 'port', '微信']);
  assert.deepEqual(found(['{'], 'a{b', true), ['{']);
});

test('many keywords that overlap, on a text of their letters, take linear time', () => {
  const search = createKeywordSearch(['a'.repeat(200), `${'a'.repeat(100)}b`], { ignoreCase: true, wholeWords: false });
  let count = 0;
  search('a'.repeat(1_000_000), () => {
    count += 1;
  });
  assert.equal(count, 999_801);
});
