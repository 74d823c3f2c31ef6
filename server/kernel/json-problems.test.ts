import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonProblemOf } from './json-problems.ts';
import { inputProblems, type Reason } from './sentences/index.ts';

function problemOf(text: string): Reason {
  try {
    JSON.parse(text);
  } catch (error) {
    return jsonProblemOf(error);
  }
  throw new Error(`${text} is JSON`);
}

test('each error of the JSON parser has a code', () => {
  for (const [text, code] of [
    ['abc', 'JSON_TOKEN'],
    ['{"a":no json', 'JSON_TOKEN'],
    ["'x'", 'JSON_TOKEN'],
    ['NaN', 'JSON_NO_VALUE'],
    ['', 'JSON_ENDS'],
    ['{"a":tru', 'JSON_ENDS'],
    ['{', 'JSON_PROPERTY'],
    ['{"a" 1}', 'JSON_COLON'],
    ['{"a":"x\u0001"}', 'JSON_CONTROL'],
    ['"abc', 'JSON_UNTERMINATED'],
    ['{"a":1}}', 'JSON_BEHIND'],
    ['{"a":01}', 'JSON_NUMBER'],
    ['{"a":-}', 'JSON_MINUS'],
    ['{"a":1.}', 'JSON_FRACTION'],
    ['{"a":1e}', 'JSON_EXPONENT'],
    [String.raw`{"a":"\x"}`, 'JSON_ESCAPE'],
    [String.raw`{"a":"\u12"}`, 'JSON_UNICODE_ESCAPE'],
    ['{"a":1,}', 'JSON_QUOTED_NAME'],
    ['[1 2]', 'JSON_AFTER_ITEM'],
    ['{"a":"b" "c"}', 'JSON_AFTER_VALUE'],
  ] as const) {
    const { sentence, text: words } = problemOf(text);
    assert.equal(sentence?.code, code, `${text}: ${words}`);
  }
});

test('a token and its surroundings are values of their own, whatever they say', () => {
  const text = 'x is not valid JSON';
  const { sentence } = problemOf(text);
  assert.deepEqual(sentence?.params, { token: 'x', near: `"${text}"` });
  assert.deepEqual(problemOf('\', "').sentence?.params, { token: "'", near: '"\', ""' });
  const position = { code: 'JSON_POSITION', params: { position: 8, line: 2, column: 1 } };
  assert.deepEqual(problemOf('{"a":1}\n{"b"').sentence, { code: 'JSON_BEHIND', params: { position } });
});

test('an error of another kind with the words of the parser has no code', () => {
  const words = inputProblems.JSON_ENDS({});
  assert.deepEqual(jsonProblemOf(new Error(words)), { text: words, sentence: null });
});
