import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonText } from './json-text.ts';

test('a name with an escape is not taken for a name that was read before', () => {
  parseJsonText(String.raw`{"h":[],"\\":0}`);
  const names = ['"', '\n', '\t', '\\', 'A'];
  const texts = [String.raw`\"`, String.raw`\n`, String.raw`\t`, String.raw`\\`, String.raw`\u0041`];
  assert.deepEqual(
    texts.map((name) => Object.keys(parseJsonText(`{"h":1,"${name}":2}`) as object)[1]),
    names,
  );
});

test('any value reads back as it was written, whatever its names', () => {
  const names = fc.array(fc.constantFrom('"', '\\', '\n', 'a', 'é', '中', '__proto__', '7', ':', ' '), {
    maxLength: 3,
  });
  const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 1.5, 'x\\":', '中'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(names, tie('value')), { maxLength: 4 })
        .map((members) => Object.fromEntries(members.map(([name, part]) => [name.join(''), part] as const))),
    ),
  }));
  fc.assert(
    fc.property(values, fc.constantFrom(0, 1), (value, indent) => {
      assert.deepEqual(parseJsonText(JSON.stringify(value, null, indent)), value);
    }),
  );
});

test('of members with the same name the last one counts, in the place of the first', () => {
  const value = parseJsonText(String.raw`{"\\":1,"b":2,"\u005c":3}`) as object;
  assert.deepEqual(Object.entries(value), [
    ['\\', 3],
    ['b', 2],
  ]);
});

test('values nested to any depth are read', () => {
  const depth = 100_000;
  assert.ok(Array.isArray(parseJsonText(`${'['.repeat(depth)}"\\n"${']'.repeat(depth)}`)));
});

test('what is not JSON is refused', () => {
  assert.throws(() => parseJsonText('{"a":}'), SyntaxError);
});
