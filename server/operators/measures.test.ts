import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSampleOperator, operators, parseParams } from './index.ts';

/** All measures of a text, by name. */
function measure(text: string): Record<string, number> {
  const told: [string, number][] = [];
  for (const operator of operators) {
    const { measures = [] } = operator;
    if (!isSampleOperator(operator) || measures.length === 0) continue;
    const parsed = parseParams(operator, {});
    const outcome = operator.measure === undefined && parsed.ok ? operator.each(parsed.params)({ text }) : undefined;
    const score = outcome !== undefined && 'verdict' in outcome ? outcome.score : undefined;
    const numbers = operator.measure?.({ text }) ?? [score];
    assert.equal(numbers.length, measures.length, operator.id);
    for (const [index, { name, scale }] of measures.entries()) {
      const value = numbers[index];
      assert.ok(value !== undefined && value >= 0, name);
      assert.ok(scale === 'COUNT' ? Number.isInteger(value) : scale === 'VALUE' || value <= 1, name);
      told.push([name, value]);
    }
  }
  assert.equal(new Set(told.map(([name]) => name)).size, told.length, 'each name is used once');
  return Object.fromEntries(told);
}

test('operators tell numbers of a text, whatever they would do with it', () => {
  const text =
    '<p>Write to a@example.org or b@example.org, see https://example.org/x and www.example.org\u200b.</p>\n' +
    'Call +44 20 7946 0958 from 192.168.0.17; card 4111 1111 1111 1111. [EMAIL]';
  assert.deepEqual(measure(text), {
    controlCharacters: 1,
    tags: 2,
    emails: 2,
    cards: 1,
    ips: 1,
    phones: 1,
    repetition: 0,
    specialCharacters:
      Math.round((10_000 * (text.match(/[^\p{L}\p{N}\p{M}\s]/gu)?.length ?? 0)) / text.length) / 10_000,
    length: text.length,
    // 14 of 31 tokens; 23 of them are words, of 141 characters.
    alphabeticWords: 0.4516,
    meanWordLength: 6.1304,
    lineBreaksPerWord: 0.0323,
    stopWords: 2,
    // "1111 1111" twice, of 170 characters.
    topPair: 0.1059,
    sentences: 3,
    // 11 of 161 runs of ten characters, 37 digits and 21 marks of 170 characters, 7 of 85 letters.
    repeatedCharacters: 0.0683,
    digits: 0.2176,
    punctuation: 0.1235,
    uppercase: 0.0824,
    bulletLines: 0,
    ellipsisLines: 0,
    endedLines: 0,
    shortLines: 0,
    repeatedLines: 0,
    repeatedParagraphs: 0,
    duplicateRuns: 0,
    symbolsPerWord: 0,
    addresses: 2,
  });
});

test('of nothing, all of them tell zero', () => {
  assert.ok(Object.values(measure('')).every((value) => value === 0));
});
