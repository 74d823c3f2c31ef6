import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { AppError } from './errors.ts';
import { createKnownFieldsReader } from './known-fields.ts';
import { recordOf } from './record-schema.ts';

const Step = Type.Object({
  id: Type.String({ maxLength: 10 }),
  params: Type.Optional(recordOf(Type.Unknown(), { maxProperties: 3 })),
});
const read = createKnownFieldsReader(
  Type.Object({
    name: Type.Optional(Type.String({ maxLength: 5 })),
    on: Type.Optional(Type.Boolean({ default: true })),
    list: Type.Optional(Type.Array(Type.Integer(), { default: [1] })),
    steps: Type.Optional(Type.Array(Step, { maxItems: 2 })),
    shape: Type.Optional(
      Type.Union([
        Type.Object({ kind: Type.Literal('square'), side: Type.Number() }),
        Type.Object({ kind: Type.Literal('circle'), radius: Type.Number() }),
        Type.String({ maxLength: 5 }),
        Type.Null(),
      ]),
    ),
    open: Type.Optional(Type.Unknown()),
    strict: Type.Optional(Type.Object({ a: Type.Integer(), b: Type.Integer() }, { additionalProperties: false })),
  }),
);
const defaults = { on: true, list: [1] };

const readable: readonly (readonly [text: string, value: unknown])[] = [
  ['{"name":"a","nmae":"b","steps":[{"id":"i","x":1}]}', { name: 'a', ...defaults, steps: [{ id: 'i' }] }],
  [
    '{"steps":[{"id":"i","params":{"x":{"y":null}}}]}',
    { ...defaults, steps: [{ id: 'i', params: { x: { y: null } } }] },
  ],
  ['{"on":false,"list":[]}', { on: false, list: [] }],
  ['{"unknown":{"deep":["\\u0000\\ud800"]},"\\u0000":"\\u0000"}', defaults],
  ['{"steps":7,"name":[1],"shape":[]}', { ...defaults, steps: 7, name: [1], shape: [] }],
  ['{"shape":{"kind":"circle","side":1,"radius":2}}', { ...defaults, shape: { kind: 'circle', radius: 2 } }],
  ['{"shape":{"kind":"none","side":1,"radius":2}}', { ...defaults, shape: { kind: 'none', side: 1 } }],
  ['{"shape":null}', { ...defaults, shape: null }],
  ['{"open":[{"a":1}]}', { ...defaults, open: [{ a: 1 }] }],
  ['{"__proto__":{"name":"inherited"},"open":{"a":1}}', { ...defaults, open: { a: 1 } }],
  ['[1]', [1]],
];

for (const [text, value] of readable) {
  test(`reads ${text}`, () => {
    const known = read(JSON.parse(text));
    assert.deepEqual(known, value);
    assert.equal((known as { admin?: unknown }).admin, undefined);
    assert.equal((known as { open?: { admin?: unknown } }).open?.admin, undefined);
  });
}

const refused: readonly (readonly [text: string, message: string])[] = [
  ['{"steps":[{"id":"i","params":{"a":{"b":["\\u0000"]}}}]}', 'steps[0].params.a.b[0] must not contain NUL'],
  ['{"open":{"\\u0000":1}}', 'open must not contain NUL'],
  ['{"open":{"a":{"__proto__":{"admin":true}}}}', 'open.a.__proto__ is invalid'],
  ['{"name":"\\ud800"}', 'name is not valid UTF-8'],
  ['{"shape":"\\ud800"}', 'shape is not valid UTF-8'],
  ['{"strict":{"a":1,"dryrun":true}}', 'strict.dryrun is not a known field; known fields are a, b'],
  ['{"steps":[1,2,3]}', 'steps must have at most 2 items'],
  ['{"steps":[{"id":"xxxxxxxxxxxxxxxxxxxxx"}]}', 'steps[0].id must have at most 10 characters'],
  ['{"steps":[{"id":"i","params":{"a":1,"b":2,"c":3,"d":4}}]}', 'steps[0].params must have at most 3 fields'],
];

for (const [text, message] of refused) {
  test(`refuses ${text}`, () => {
    assert.throws(
      () => read(JSON.parse(text)),
      (error) => error instanceof AppError && error.kind === 'invalid' && error.message === message,
    );
  });
}

test('a default is given to each as its own', () => {
  (read({}) as { list: number[] }).list.push(2);
  assert.deepEqual(read({}), defaults);
});

test('what a schema does not know is not looked at', () => {
  const seen: PropertyKey[] = [];
  const value = new Proxy(
    { name: 'a', other: 1 },
    {
      get: (target, key) => (seen.push(key), Reflect.get(target, key)),
      ownKeys: () => assert.fail('lists all keys'),
    },
  );
  read(value);
  assert.deepEqual(seen, ['name']);
});

test('a schema that it can not read keeps the service from starting', () => {
  assert.throws(() => createKnownFieldsReader(Type.Object({ x: Type.Ref('Y') })), /must be written out/);
});
