import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonText } from '../kernel/json-text.ts';
import { findOverlap, replaceValues, type ValueChange } from './json-values.ts';
import { anyText } from '../../tests/support/any-text.ts';
import type { ValuePath } from './json-spans.ts';

function replaced(row: string, ...changes: ValueChange[]): string {
  return Buffer.from(replaceValues(Buffer.from(row), changes)).toString();
}

test('values are replaced where they stand, every other byte stays', () => {
  const row = ' { "a" : 1.50, "d":{"t":"x" , "n":[1e2, {"t":"y"}]}, "z":12345678901234567890 } ';
  assert.equal(
    replaced(
      row,
      { path: ['d', 't'], value: 'é"' },
      { path: ['d', 'n', 1, 't'], value: null },
      { path: ['a'], value: [2] },
    ),
    ' { "a" : [2], "d":{"t":"é\\"" , "n":[1e2, {"t":null}]}, "z":12345678901234567890 } ',
  );
});

test('of members with the same name the last one counts', () => {
  const row = '{"a":{"t":"x"},"b":1,"\\u0061":{"t":"y"},"b":2}';
  assert.equal(
    replaced(row, { path: ['a', 't'], value: 'z' }, { path: ['b'], value: 3 }),
    '{"a":{"t":"x"},"b":1,"\\u0061":{"t":"z"},"b":3}',
  );
  assert.throws(() => replaced('{"a":{"t":1},"a":2}', { path: ['a', 't'], value: 'z' }), /nothing at/);
});

test('a new member becomes the last one', () => {
  const added: ValueChange[] = [
    { path: ['x'], value: 'é' },
    { path: ['__proto__'], value: 2 },
  ];
  assert.equal(replaced('{}', ...added), '{"x":"é","__proto__":2}');
  assert.equal(replaced('{ "a":1 }\r', ...added), '{ "a":1,"x":"é","__proto__":2 }\r');
});

test('ASCII stays ASCII', () => {
  assert.equal(replaced('{"a":"\\u9ad8"}', { path: ['a'], value: '高é' }), '{"a":"\\u9ad8\\u00e9"}');
  assert.equal(replaced('{"a":"高"}', { path: ['a'], value: '高é' }), '{"a":"高é"}');
});

test('items of a list stay as they are written', () => {
  const row = '{"m":[{"n":1.0,"id":90071992547409931}, {"n":2}],"k":0}';
  assert.equal(
    replaced(row, { path: ['m'], items: [{ value: 'new' }, { index: 0 }] }),
    '{"m":["new",{"n":1.0,"id":90071992547409931}],"k":0}',
  );
});

test('paths that can not both be written are found', () => {
  assert.equal(findOverlap([['a'], ['b', 0], ['b', 1]]), undefined);
  assert.deepEqual(findOverlap([['a', 0, 'c'], ['x'], ['a']]), [['a'], ['a', 0, 'c']]);
  assert.deepEqual(findOverlap([['a'], ['a']]), [['a'], ['a']]);
});

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** All paths within a value, from the outside in. */
function placesIn(value: Json, path: ValuePath = []): ValuePath[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([name, part]) =>
      placesIn(part, [...path, Array.isArray(value) ? Number(name) : name]),
    ),
  ];
}

function withValue(value: Json, [step, ...rest]: ValuePath, next: Json): Json {
  if (step === undefined) return next;
  if (Array.isArray(value)) return value.map((part, index) => (index === step ? withValue(part, rest, next) : part));
  const object = value as { [name: string]: Json };
  return Object.fromEntries(
    Object.entries(object).map(([name, part]) => [name, name === step ? withValue(part, rest, next) : part]),
  );
}

/** A value without what JSON can't represent, such as negative zero. */
function parsed(value: Json): Json {
  return parseJsonText(JSON.stringify(value)) as Json;
}

test('any place of any object can be written, and reads as JSON.parse does', () => {
  const { value: json } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      anyText().map((text) => text.toWellFormed()),
      fc.constantFrom<Json>(null, true, 0, 1.5, -2e21, '"', '\\', '{}', '],'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b.c', '"', '\\', 'é', ''), tie('value'), { maxKeys: 4 }),
    ),
  }));
  const blanks = fc.constantFrom('', ' ', '\t');
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b', 'text', '"'), json, { minKeys: 1, maxKeys: 4 }),
      fc.nat(),
      json,
      fc.integer({ min: 0, max: 2 }),
      blanks,
      (given, pick, next, indent, blank) => {
        const row = parsed(given);
        const written = blank + JSON.stringify(row, null, indent) + blank;
        const places = placesIn(row).slice(1);
        const path = places[pick % places.length] ?? [];
        const result = replaced(written, { path, value: next });
        assert.deepEqual(parseJsonText(result), withValue(row, path, parsed(next)));
        // What is around the value is the same: putting the old one back gives the bytes that there were.
        const old = path.reduce<Json>((part, step) => (part as Record<string | number, Json>)[step] ?? null, row);
        const back = replaced(result, { path, value: 0 });
        assert.equal(back, replaced(written, { path, value: 0 }));
        assert.ok(old !== undefined);
      },
    ),
  );
});

test('members are taken out and renamed, and what is between the others keeps its bytes', () => {
  const changed: readonly [row: string, changes: readonly ValueChange[], result: string][] = [
    ['{ "a":1 , "b" : 2.0,"c":3 }', [{ path: ['a'], isTakenOut: true }], '{ "b" : 2.0,"c":3 }'],
    ['{"a":1, "b":2 ,"c":3}', [{ path: ['c'], isTakenOut: true }], '{"a":1, "b":2}'],
    [
      '{"a":1,"b":2}',
      [
        { path: ['b'], isTakenOut: true },
        { path: ['a'], isTakenOut: true },
      ],
      '{}',
    ],
    ['{"a": 1e2 ,"b":2}', [{ path: ['a'], name: 'x"' }], '{"x\\"": 1e2 ,"b":2}'],
    ['{"a":1,"b":2,"a":3}', [{ path: ['a'], name: 'c' }], '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"a":3}', [{ path: ['a'], isTakenOut: true }], '{"b":2}'],
    [
      '{"a":"x","b":1}',
      [
        { path: ['a'], value: 'y' },
        { path: ['a'], name: 'é' },
      ],
      '{"é":"y","b":1}',
    ],
    ['{"\\u00e9":1,"b":{"é":2}}', [{ path: ['é'], name: '中' }], '{"\\u4e2d":1,"b":{"é":2}}'],
    [
      '{"a":{"a":1},"b":2}',
      [
        { path: ['a'], isTakenOut: true },
        { path: ['n'], value: null },
      ],
      '{"b":2,"n":null}',
    ],
  ];
  for (const [row, changes, result] of changed) assert.equal(replaced(row, ...changes), result);
});
