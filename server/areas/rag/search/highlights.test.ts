import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createHighlighter } from './highlights.ts';

const marked = (text: string, query: string): string[] => {
  const points = [...text];
  return createHighlighter(query)(text).map(({ start, end }) => points.slice(start, end).join(''));
};

test('words of the query are marked without case and accents, whole words alone, in code points', () => {
  assert.deepEqual(marked('Soil, soils and SOIL.', 'soil'), ['Soil', 'SOIL']);
  assert.deepEqual(marked('😀 Die Ärger-Egge', 'arger egge'), ['Ärger', 'Egge']);
  assert.deepEqual(marked('农民使用圆盘耙疏松土壤表层。', '土壤'), ['土壤']);
  assert.deepEqual(marked("don't (don't) 3.14 a_b", "don't 3.14 a_b"), ["don't", "don't", '3.14', 'a_b']);
  assert.deepEqual(marked('anything', '?! …'), []);
  assert.deepEqual(marked('a+b [c] a.b', '[c] (b+'), ['b', 'c'], 'nothing of a query is a pattern');
  assert.deepEqual(marked('See linkgit:gitrevisions[7]', 'linkgit:gitrevisions[7]'), ['linkgit', 'gitrevisions', '7']);
  assert.deepEqual(marked('linkgit:gitrevisions[7]', 'gitrevisions'), ['gitrevisions']);
  assert.deepEqual(marked('😀 modprobe.conf(5), confs, Ärger.Conf', 'conf'), ['conf', 'Conf']);
  assert.deepEqual(marked('git_config_get(key), _get_, bar_', 'get bar'), ['get', 'get', 'bar']);
  assert.deepEqual(marked('foo_bar or bar', 'foo_bar'), ['foo_bar', 'bar'], 'the whole word, and its parts elsewhere');
  assert.deepEqual(marked('modprobe.conf or conf', 'modprobe.conf'), ['modprobe.conf', 'conf'], 'as hits are found');
});

test('words of scripts that dictionaries cut, and Korean ones, are marked within longer words', () => {
  assert.deepEqual(marked('灌溉系统的水泵压力过低', '水'), ['水']);
  assert.deepEqual(marked('北京大学的研究人员', '大学'), ['大学']);
  assert.deepEqual(marked('土壤和有机质', '有机质'), ['有机', '质']);
  assert.deepEqual(marked('데이터베이스를 사용합니다', '데이터베이스'), ['데이터베이스']);
  assert.deepEqual(marked('국제공항에서', '공항'), ['공항']);
});

test('words found by a part or in another form are marked', () => {
  assert.deepEqual(marked("Darwin’s theory and Ankara'da", 'darwin ankara'), ['Darwin', 'Ankara']);
  assert.deepEqual(marked("l’été and l'été", 'été'), ['été', 'été']);
  assert.deepEqual(marked('call getUserName(parseJSONResponse)', 'user name json'), ['User', 'Name', 'JSON']);
  assert.deepEqual(marked('a clock of 5GHz, 10µm', '5 GHz µm'), ['GHz', 'µm']);
  assert.deepEqual(marked('Write an e-mail, (E-Mail) or e‑mail.', 'email'), ['e-mail', 'E-Mail', 'e‑mail']);
  assert.deepEqual(marked('**W**ombats and **bo**ld', 'wombats bold'), ['W**ombats', 'bo**ld']);
  assert.deepEqual(marked('username, ghz5 and mails', 'user ghz mail'), [], 'not within other words');
});

test('cutting parts of a text marks what cutting all of it marks', () => {
  const pieces = [
    'soil',
    'Soil',
    'ÄRGER',
    'arger',
    "don't",
    '3.14',
    '1,000',
    'a_b',
    'a',
    's',
    't1',
    '㎏',
    '😀',
    'ไทย',
    'ภาษา',
    'カタカナ',
    'é',
  ];
  const gaps = [' ', '\n', '', '-', '. ', "'", ',', '。', '\u00a0', '\u202f', '\u3000', '\u200d', ':'];
  const text = fc
    .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...gaps)), { maxLength: 30 })
    .map((parts) => parts.flat().join(''));
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const fold = (word: string): string => word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const wordsOf = (whole: string): string[] =>
    [...segmenter.segment(whole)].flatMap(({ segment, isWordLike }) =>
      isWordLike === true ? segment.split(':').filter((word) => word !== '') : [],
    );
  fc.assert(
    fc.property(text, fc.constantFrom(...pieces), (whole, query) => {
      // Names of code, measures and words with an apostrophe are found by their parts, too.
      fc.pre(!/[a-z][A-Z]|[A-Z]{3}[a-z]|\p{L}'|'\p{L}|\d\p{L}/u.test(whole));
      const wanted = new Set(wordsOf(query).map(fold));
      assert.deepEqual(
        marked(whole, query),
        wordsOf(whole).filter((word) => wanted.has(fold(word))),
      );
    }),
    { numRuns: 500 },
  );
});
