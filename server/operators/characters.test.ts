import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowsOf } from './characters.ts';
import { hashShingles } from './shingles.ts';
import { specialCharacterRatioFilter } from './filters/special-character-ratio-filter.ts';

test('windows hold the units of a text of any length, however it was put together', () => {
  const pair = '\u{20000}';
  for (const length of [0, 1, 32_767, 32_768, 32_769, 65_536, 100_001]) {
    // In most of them, a surrogate pair spans the end of the first window.
    const text = `a${'é'.repeat(3)}${pair.repeat(length >> 1)}${'x'.repeat(length & 1)}`.slice(1);
    const units: number[] = [];
    for (const window of windowsOf(text)) for (const unit of window) units.push(unit);
    assert.equal(units.length, text.length);
    assert.ok(units.every((unit, at) => unit === text.charCodeAt(at)));
  }
});

test('a text longer than a window is judged as a whole', () => {
  const word = 'plain words and 文字 \u{20000} ';
  const noise = '|-#'.repeat(20_000);
  const outcome = specialCharacterRatioFilter.each({ max: 0.5 })({ text: word.repeat(3000) + noise });
  const characters = [...word].length * 3000 + noise.length;
  assert.ok('score' in outcome);
  assert.equal(outcome.score, Math.round((noise.length / characters) * 10_000) / 10_000);
  const shingles: number[] = [];
  hashShingles(word.repeat(5000), 3, (shingle) => shingles.push(shingle));
  assert.equal(shingles.length, 6 * 5000 - 2);
});
