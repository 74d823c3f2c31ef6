import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languagesOf } from './accept-language.ts';

test('languages come in the order of their quality', () => {
  for (const [header, languages] of [
    [undefined, []],
    ['', []],
    ['*', []],
    ['de', ['de']],
    ['zh-TW,zh;q=0.9,en;q=0.8', ['zh-TW', 'zh', 'en']],
    ['en;q=0.5, ja', ['ja', 'en']],
    ['fr;q=0, it', ['it']],
    ['zh-Hant-HK ; q = 0.7 , ko;q=0.75', ['ko', 'zh-Hant-HK']],
    ['de;q=2, <script>, pl', ['pl']],
    [`${'de,'.repeat(200)}ru`, []],
    ['a,b,c,d,e,f,g,h,i,j', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
  ] as const)
    assert.deepEqual(languagesOf(header), languages, header);
});
