import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citedNumbers } from './citations.ts';

const forms: Record<string, number[]> = {
  'It turns the soil [1].': [1],
  'It turns the soil[1].': [1],
  'It turns [1][2].': [1, 2],
  'It turns [1, 2].': [1, 2],
  'It turns [2,1].': [1, 2],
  'It turns [1; 3].': [1, 3],
  'It turns [1 3].': [1, 3],
  'It turns [1 & 3].': [1, 3],
  'It turns [1-3].': [1, 2, 3],
  'It turns [1–3].': [1, 2, 3],
  'It turns [1 - 3].': [1, 2, 3],
  'It turns [1-2, 5].': [1, 2, 5],
  'It turns 【1】.': [1],
  'It turns 【1†source】【2†plough.txt】.': [1, 2],
  'It turns 【1、2】。': [1, 2],
  '它翻土［１］。': [1],
  '它翻土［１，２］。': [1, 2],
  '它翻土〔1〕。': [1],
  'See [^1] and [^2].': [1, 2],
  'It turns [Source 2].': [2],
  'It turns [source: 1, 2].': [1, 2],
  'It turns [Sources 1-2].': [1, 2],
  '它翻土【来源 2】。': [2],
  'It turns [01].': [1],
  '[1] [1] [1]': [1],
  'It turns [9].': [],
  'It turns [4-900].': [4, 5],
  'It turns [0].': [],
  'It turns (1).': [],
  'No citation here.': [],
  '': [],
  'In 1945 [sic] it was [two].': [],
  'It is in code: `a[1]` and ```\nb[2]\n```.': [],
  'The mean is [1.5] or [1,234,567 of them].': [],
  'A link [1](https://example.com).': [1],
};

for (const [answer, expected] of Object.entries(forms))
  test(`citations of “${answer}”`, () => assert.deepEqual(citedNumbers(answer, 5), expected));

test('many brackets are read in linear time', () => {
  const started = performance.now();
  citedNumbers('[1, '.repeat(100_000), 5);
  citedNumbers(`[${'1 '.repeat(200_000)}`, 5);
  assert.ok(performance.now() - started < 3_000);
});
