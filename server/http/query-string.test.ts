import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQueryString, routablePath } from './query-string.ts';

const plain = (text: string): Record<string, unknown> => ({ ...parseQueryString(text) });

test('reads parameters, their repetitions and their encoding', () => {
  assert.deepEqual(plain('a=1&b=x%20y+z&c&d=&&e=%E9%AB%98'), { a: '1', b: 'x y z', c: '', d: '', e: '高' });
  assert.deepEqual(plain('a=1&a=2&a=3'), { a: ['1', '2', '3'] });
  assert.deepEqual(plain('a=b=c'), { a: 'b=c' });
  assert.deepEqual(plain(''), {});
});

test('what is badly encoded or no UTF-8 is not well-formed, so that validation refuses it', () => {
  for (const value of ['%', '%zz', '%e9', '%ff%fe', '%c0%af', '%ed%a0%80'])
    assert.equal(String(plain(`a=${value}`).a).isWellFormed(), false, value);
});

test('names of prototypes are names like any other', () => {
  const query = parseQueryString('__proto__=x&constructor=y&toString=z');
  assert.deepEqual(Object.keys(query), ['__proto__', 'constructor', 'toString']);
  assert.equal(({} as { x?: unknown }).x, undefined);
});

test('a badly encoded path segment becomes one that no id allows; the rest stays', () => {
  assert.equal(routablePath('/a/%zz/c?q=%zz'), '/a/~badly-encoded~/c?q=%zz');
  assert.equal(routablePath('/a/%ff'), '/a/~badly-encoded~');
  assert.equal(routablePath('/a/%E9%AB%98/c?q=%'), '/a/%E9%AB%98/c?q=%');
  assert.equal(routablePath('/a/b'), '/a/b');
});
