import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from '@fastify/type-provider-typebox';
import type { TSchema } from 'typebox';
import { idPattern } from '../kernel/ids.ts';
import { nullable, oneOf, pageQuery, sortQuery } from './schemas.ts';
import { validatorCompiler } from './validation.ts';
import { recordOf } from '../kernel/record-schema.ts';

type Part = 'body' | 'querystring' | 'params';

function validate(schema: TSchema, httpPart: Part, value: unknown): { value?: unknown; message?: string } {
  const outcome = validatorCompiler({ schema, method: 'POST', url: '/', httpPart })(value) as {
    value?: unknown;
    error?: Error;
  };
  return outcome.error === undefined ? { value: outcome.value } : { message: outcome.error.message };
}

const Body = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  ratio: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  on: Type.Optional(Type.Boolean({ default: true })),
  kind: Type.Optional(oneOf('Kind', ['A', 'B'])),
  note: Type.Optional(nullable(Type.String())),
  tags: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2, uniqueItems: true })),
  steps: Type.Optional(Type.Array(Type.Object({ id: Type.String(), params: Type.Optional(recordOf(Type.Unknown())) }))),
  either: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
  literal: Type.Optional(Type.Union([Type.Literal('x'), Type.Literal('y')])),
  target: Type.Optional(Type.Union([Type.Object({ path: Type.String() }), Type.Null()])),
});

const bodies: readonly (readonly [body: unknown, outcome: string | object])[] = [
  [{ name: 'a' }, { name: 'a', on: true }],
  [
    { name: 'a', nmae: 'b', steps: [{ id: 'i', x: 1 }] },
    { name: 'a', on: true, steps: [{ id: 'i' }] },
  ],
  [
    { name: 'a', steps: [{ id: 'i', params: { x: { y: null } } }] },
    { name: 'a', on: true, steps: [{ id: 'i', params: { x: { y: null } } }] },
  ],
  [
    { name: 'a', note: null, either: null, target: null },
    { name: 'a', on: true, note: null, either: null, target: null },
  ],
  [undefined, 'name is required'],
  [null, 'name is required'],
  [{}, 'name is required'],
  [[], 'body must be an object'],
  [{ name: null }, 'name must be a string'],
  [{ name: 1 }, 'name must be a string'],
  [{ name: '' }, 'name must not be empty'],
  [{ name: 'abcdef' }, 'name must have at most 5 characters'],
  [{ name: 'a', count: '1' }, 'count must be an integer'],
  [{ name: 'a', count: 1.5 }, 'count must be an integer'],
  [{ name: 'a', count: null }, 'count must be an integer'],
  [{ name: 'a', count: true }, 'count must be an integer'],
  [{ name: 'a', count: 0 }, 'count must be at least 1'],
  [{ name: 'a', count: 10 }, 'count must be at most 9'],
  [{ name: 'a', ratio: 0 }, 'ratio must be more than 0'],
  [{ name: 'a', on: 'true' }, 'on must be true or false'],
  [{ name: 'a', on: 1 }, 'on must be true or false'],
  [{ name: 'a', kind: 'C' }, 'kind must be one of A, B'],
  [{ name: 'a', kind: 1 }, 'kind must be a string'],
  [{ name: 'a', note: 1 }, 'note must be a string or null'],
  [{ name: 'a', tags: 'x' }, 'tags must be an array'],
  [{ name: 'a', tags: [] }, 'tags must not be empty'],
  [{ name: 'a', tags: ['x', 1] }, 'tags[1] must be a string'],
  [{ name: 'a', tags: ['x', 'x'] }, 'tags must not contain duplicates'],
  [{ name: 'a', tags: ['x', 'y', 'z'] }, 'tags must have at most 2 items'],
  [{ name: 'a', steps: [{ id: 'i' }, {}] }, 'steps[1].id is required'],
  [{ name: 'a', steps: [{ id: 'i', params: [] }] }, 'steps[0].params must be an object'],
  [{ name: 'a', either: true }, 'either must be a string or an integer or null'],
  [{ name: 'a', literal: 'z' }, 'literal must be one of x, y'],
  [{ name: 'a', target: { path: 1 } }, 'target.path must be a string'],
  [{ name: 'a', target: {} }, 'target.path is required'],
];

for (const [body, outcome] of bodies) {
  test(`body ${JSON.stringify(body)} → ${JSON.stringify(outcome)}`, () => {
    const { value, message } = validate(Body, 'body', structuredClone(body));
    assert.deepEqual(message ?? value, outcome);
  });
}

const Query = Type.Object({
  ...pageQuery,
  keyword: Type.Optional(Type.String()),
  exact: Type.Optional(Type.Boolean()),
  score: Type.Optional(Type.Number()),
  ids: Type.Optional(Type.Array(Type.String())),
  version: Type.Optional(Type.Integer({ minimum: 1 })),
  sort: sortQuery('FieldSort', ['name', 'size']),
  needed: Type.String(),
});
const page = { page: 0, size: 20, needed: 'n' };

const queries: readonly (readonly [query: object, outcome: string | object])[] = [
  [{ needed: 'n' }, page],
  [
    { needed: 'n', page: '3', size: '1000', unknown: 'x' },
    { ...page, page: 3, size: 1000 },
  ],
  [
    { needed: 'n', keyword: '', exact: 'false', score: '-1.5e3', ids: 'a' },
    { ...page, keyword: '', exact: false, score: -1500, ids: ['a'] },
  ],
  [
    { needed: 'n', ids: ['a', 'b'], sort: 'size,desc' },
    { ...page, ids: ['a', 'b'], sort: 'size,desc' },
  ],
  [{}, 'needed is required in the query'],
  [{ needed: 'n', page: '-1' }, 'page must be at least 0'],
  [{ needed: 'n', page: '' }, 'page must be an integer'],
  [{ needed: 'n', page: '1.0' }, 'page must be an integer'],
  [{ needed: 'n', page: '1e3' }, 'page must be an integer'],
  [{ needed: 'n', page: '0x10' }, 'page must be an integer'],
  [{ needed: 'n', page: ' 1' }, 'page must be an integer'],
  [{ needed: 'n', page: '99999999999999999999' }, 'page is out of range'],
  [{ needed: 'n', page: ['1', '2'] }, 'page must be given once'],
  [{ needed: 'n', size: '0' }, 'size must be at least 1'],
  [{ needed: 'n', size: '1001' }, 'size must be at most 1000'],
  [{ needed: 'n', exact: 'yes' }, 'exact must be true or false'],
  [{ needed: 'n', exact: '1' }, 'exact must be true or false'],
  [{ needed: 'n', score: 'Infinity' }, 'score must be a number'],
  [{ needed: 'n', keyword: 'a\0b' }, 'keyword must not contain NUL'],
  [{ needed: 'n', keyword: '\udc00' }, 'keyword is not valid UTF-8'],
  [{ needed: 'n', sort: 'name' }, 'sort must be one of name,asc, name,desc, size,asc, size,desc'],
  [{ needed: 'n', version: '0' }, 'version must be at least 1'],
];

for (const [query, outcome] of queries) {
  test(`query ${JSON.stringify(query)} → ${JSON.stringify(outcome)}`, () => {
    const { value, message } = validate(Query, 'querystring', query);
    assert.deepEqual(message ?? value, outcome);
  });
}

test('only an action may come without a body', () => {
  const Optional = Type.Partial(Body);
  const outcome = (method: string, schema: TSchema) =>
    validatorCompiler({ schema, method, url: '/', httpPart: 'body' })(null);
  assert.deepEqual(outcome('POST', Optional), { value: { on: true } });
  for (const method of ['PUT', 'PATCH']) {
    assert.match(String((outcome(method, Optional) as { error: Error }).error), /body is required/);
    assert.match(String((outcome(method, Body) as { error: Error }).error), /name is required/);
  }
});

test('the first wrong item of a long array is found without the errors of all others', () => {
  const Ids = Type.Object({ ids: Type.Array(Type.String({ pattern: idPattern }), { maxItems: 10_000 }) });
  const refuse = (ids: unknown[]) => validate(Ids, 'body', { ids }).message;
  assert.match(refuse([...Array.from({ length: 9_998 }, () => 'a'), '!', 1]) ?? '', /^ids\[9998\] must be an id/);
  assert.equal(refuse(Array.from({ length: 10_001 }, () => 1)), 'ids must have at most 10000 items');
});

test('ids in paths keep to the alphabet and length', () => {
  const Params = Type.Object({ datasetId: Type.String({ pattern: idPattern }) });
  for (const datasetId of ['a', 'A-z_9', 'x'.repeat(64)])
    assert.deepEqual(validate(Params, 'params', { datasetId }).value, { datasetId });
  for (const datasetId of ['', 'x'.repeat(65), 'a.b', 'a/b', '../x', 'é', 'a b', '~badly-encoded~', 'a\n'])
    assert.match(validate(Params, 'params', { datasetId }).message ?? '', /^datasetId must be an id/, datasetId);
});
