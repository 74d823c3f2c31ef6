import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../kernel/errors.ts';
import { maxJsonDepth, maxJsonValues, parseJson } from './json-body.ts';

const parse = (text: string): unknown => parseJson(Buffer.from(text));
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

test('takes objects and arrays, with every script and escape', () => {
  assert.deepEqual(parse('{"name":"高 \\u00e9 \\ud83d\\ude00 😀"}'), { name: '高 é 😀 😀' });
  assert.deepEqual(parse('[1,"[{"]'), [1, '[{']);
});

const refused: readonly (readonly [what: string, body: Uint8Array, message: RegExp])[] = [
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), /^body is not valid UTF-8/],
  ['an overlong encoding', Buffer.from([0x5b, 0x22, 0xc0, 0xaf, 0x22, 0x5d]), /UTF-8/],
  ['UTF-16', Buffer.from('[]', 'utf16le'), /^body is not valid JSON/],
  ['a cut body', Buffer.from('{"a":1'), /^body is not valid JSON/],
  ['two bodies', Buffer.from('{} {}'), /^body is not valid JSON/],
  ['a comment', Buffer.from('{} // x'), /^body is not valid JSON/],
  ['NaN', Buffer.from('[NaN]'), /^body is not valid JSON/],
  ['null', Buffer.from('null'), /^body must be a JSON object or array/],
  ['a string', Buffer.from('"x"'), /^body must be a JSON object or array/],
];

for (const [what, body, message] of refused) {
  test(`refuses ${what}`, () => {
    assert.throws(
      () => parseJson(body),
      (error) => error instanceof AppError && error.kind === 'invalid' && message.test(error.message),
    );
  });
}

test('refuses by depth before anything is built, however deep', () => {
  assert.deepEqual(parse(nested(maxJsonDepth)), JSON.parse(nested(maxJsonDepth)));
  for (const depth of [maxJsonDepth + 1, 500_000]) assert.throws(() => parse(nested(depth)), /nested deeper than 32/);
  assert.throws(() => parse('{"a":'.repeat(400_000)), /nested deeper than 32/, 'even when it never ends');
  assert.deepEqual(parse('["\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["]'), [`"${'['.repeat(39)}`], 'brackets in text');
});

test('refuses by the number of values before anything is built', () => {
  const objects = (count: number): string => `[${'{},'.repeat(count - 1)}{}]`;
  assert.equal((parse(objects(maxJsonValues / 2)) as unknown[]).length, maxJsonValues / 2);
  for (const text of [objects(maxJsonValues), '['.repeat(20) + '1,'.repeat(maxJsonValues)])
    assert.throws(() => parse(text), /The JSON body is larger than the limit of 20,000 values/);
  assert.deepEqual(parse(`["${'[,'.repeat(50_000)}"]`), ['[,'.repeat(50_000)], 'text is one value');
});
