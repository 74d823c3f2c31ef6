import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactNumber, isBeyondDouble, isExactNumber, parseExactly, parseWithoutLoss, toDouble } from './exact-json.ts';

test('JSON is written again with the digits that it had', () => {
  const texts = [
    '{"id":12345678901234567890,"price":0.12345678901234567890,"name":"x"}',
    '[9007199254740993,-1e400,1.0000000000000000001e5]',
    '[12345678901.2345678901]',
    '{"h":[],"\\\\":12345678901234567890}',
    '{"h":1,"\\"":12345678901234567890}',
  ];
  for (const text of texts) assert.equal(JSON.stringify(parseExactly(text)), text);
});

test('a number becomes a double only if that is the same number', () => {
  const same = {
    '1.5000000000000000': 1.5,
    '1e22': 1e22,
    '-0.30000000000000004': -0.30000000000000004,
    '00': 0,
    '1E2': 100,
  };
  for (const [digits, double] of Object.entries(same)) assert.equal(toDouble({ rawJSON: digits }), double, digits);
  for (const digits of ['9007199254740993', '0.12345678901234567890', '1e400', '-12345678901234567890'])
    assert.equal(toDouble(exactNumber(digits)), undefined, digits);
  assert.ok(isExactNumber(exactNumber('1')) && !isExactNumber({ rawJSON: '1' }));
});

test('without loss, numbers that a double holds are doubles, however others are written', () => {
  const value = parseWithoutLoss('{"a":1727334455667788993,"b":1.50,"c":1e400,"d":[0.1234567890123456789,12e1]}');
  assert.deepEqual((value as { b: unknown }).b, 1.5);
  assert.equal(JSON.stringify(value), '{"a":1727334455667788993,"b":1.5,"c":1e400,"d":[0.1234567890123456789,120]}');
});

test('a number of a million digits takes no time', () => {
  const number = `0.1${'0'.repeat(1_000_000)}1`;
  assert.equal(isBeyondDouble(0.1, number), true);
  assert.equal(JSON.stringify(parseExactly(`[${number}]`)), `[${number}]`);
});
