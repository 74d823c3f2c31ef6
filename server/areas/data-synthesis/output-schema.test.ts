import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replyCheckOf } from '../../models/index.ts';
import { parseOutputSchema } from './output-schema.ts';

const word = { type: 'string', pattern: '^(a+)+$' };

test('patterns are checked in linear time, and references to own definitions are followed', () => {
  const schema = parseOutputSchema('outputSchema', {
    type: 'object',
    properties: { one: { $ref: '#/$defs/word' }, pattern: { anyOf: [{ $ref: '#/$defs/pair' }, { type: 'null' }] } },
    required: ['one'],
    $defs: { word, pair: { type: 'array', items: { $ref: '#/$defs/word' }, minItems: 2, maxItems: 2 } },
  });
  const check = replyCheckOf(schema);
  assert.ok('value' in check('{"one": "aaa", "pattern": ["a", "aa"]}'));
  assert.ok('value' in check('{"one": "aaa", "pattern": null}'));
  for (const reply of ['{"one": "b"}', '{"one": "a", "pattern": ["a", "b"]}', '{"one": "a", "pattern": ["a"]}', '{}'])
    assert.ok('problem' in check(reply), reply);
  const startedAt = performance.now();
  const found = check(JSON.stringify({ one: `${'a'.repeat(50_000)}b` }));
  assert.match('problem' in found ? found.problem.text : '', /\/one .*must match pattern/);
  assert.ok(performance.now() - startedAt < 10_000);
});

test('a schema that no record can fulfil is refused with the place', () => {
  const of = (property: object, rest: object = {}): object => ({
    type: 'object',
    properties: { a: property },
    ...rest,
  });
  const refused: readonly (readonly [schema: object, problem: RegExp])[] = [
    [of({ type: 'array', minItems: 3, maxItems: 2 }), /a\.minItems is above a\.maxItems/],
    [of({ type: 'object', properties: { b: { minLength: 5, maxLength: 4 } } }), /a\.b\.minLength is above/],
    [of({ minimum: 2, maximum: 1 }), /a\.minimum is above/],
    [of({ type: 'integer', minimum: 1.2, maximum: 1.8 }), /a\.type allows no value/],
    [of({ enum: [] }), /a\.enum allows no value/],
    [of({ type: 'string', enum: [1, 2] }), /a\.enum allows no value/],
    [of({ type: 'string', pattern: '^x', enum: ['a', 'b'] }), /a\.enum allows no value/],
    [of({ const: 'x', enum: ['y'] }), /a\.const allows no value/],
    [of({ anyOf: [] }), /a\.anyOf allows no value/],
    [of({ type: 'array', items: false, minItems: 1 }), /a\.items allows no value/],
    [of({}, { required: ['b'], additionalProperties: false }), / required names b, which is not allowed/],
    [of({ $ref: '#/$defs/n' }, { $defs: { n: { enum: [] } } }), /\$defs\.n\.enum allows no value/],
  ];
  for (const [schema, problem] of refused)
    assert.throws(() => parseOutputSchema('outputSchema', schema as Record<string, unknown>), problem);
  const allowed = of({ type: 'string', enum: [1, 'a'] }, { required: ['a', 'b'] });
  parseOutputSchema('outputSchema', allowed as Record<string, unknown>);
});

test('names that could get lost as fields are refused', () => {
  const properties = JSON.parse(
    '{"inner": {"type": "object", "properties": {"__proto__": {"type": "string"}}}}',
  ) as object;
  assert.throws(
    () => parseOutputSchema('outputSchema', { type: 'object', properties }),
    /outputSchema must not use the name __proto__/,
  );
});

test('references can not make a schema that grows without bound', () => {
  const double = (name: string) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const wide = { anyOf: Array.from({ length: 8 }, () => ({ $ref: '#/$defs/b' })) };
  const $defs = {
    a: wide,
    b: { anyOf: Array.from({ length: 8 }, () => ({ $ref: '#/$defs/c' })) },
    c: double('d'),
    d: double('e'),
    e: word,
  };
  assert.throws(
    () =>
      parseOutputSchema('outputSchema', { type: 'object', properties: { x: wide, y: { $ref: '#/$defs/a' } }, $defs }),
    /must have at most/,
  );
});
