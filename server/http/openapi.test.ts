import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify from 'fastify';
import { Type, type TSchema } from 'typebox';
import { addOpenApi } from './openapi.ts';
import type { AreaApp } from './routes.ts';
import { namedObject, nullable, oneOf, pageOf } from './schemas.ts';

async function openApp(): Promise<AreaApp> {
  const app = fastify().withTypeProvider<TypeBoxTypeProvider>();
  await addOpenApi(app, { version: '1.2.3' });
  return app;
}

const response = { 200: Type.Array(Type.String()) };

function addRoute(app: AreaApp, path: string, operationId?: string): void {
  const name = operationId === undefined ? {} : { operationId };
  app.get(path, { config: { access: 'PUBLIC' }, schema: { ...name, summary: 'A list', response } }, async () => []);
}

test('a route needs an operationId, in camelCase and its own', async () => {
  const app = await openApp();
  addRoute(app, '/fields', 'listFields');
  assert.throws(() => addRoute(app, '/crops'), /^Error: The route GET \/crops has no operationId$/);
  assert.throws(() => addRoute(app, '/crops', 'list-crops'), /list-crops of GET \/crops is not in camelCase/);
  assert.throws(
    () => addRoute(app, '/crops', 'listFields'),
    /^Error: GET \/crops and GET \/fields have the same operationId listFields$/,
  );
});

test('a hidden route needs none', async () => {
  const app = await openApp();
  app.get('/page', { config: { access: 'PUBLIC' }, schema: { hide: true } }, async () => 'page');
  await app.ready();
  assert.deepEqual(Object.keys(app.swagger().paths ?? {}), ['/api/v1/openapi.json']);
});

/** The document of one route per given response schema. */
async function documentOf(...answers: TSchema[]): Promise<Document> {
  const app = await openApp();
  for (const [index, schema] of answers.entries()) {
    app.get(
      `/api/v1/crops/${index}`,
      { config: { access: 'VIEWER' }, schema: { operationId: `getCrop${index}`, response: { 200: schema } } },
      () => Promise.reject(new Error('Nobody calls it')),
    );
  }
  await app.ready();
  return JSON.parse(JSON.stringify(app.swagger())) as Document;
}

type Document = {
  paths: Record<string, { get: { responses: Record<string, { $ref?: string; content?: Record<string, object> }> } }>;
  components: { schemas: Record<string, object>; responses: Record<string, object> };
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const soils = ['CLAY', 'LOAM'] as const;

test('a schema stands in the document once, by its name; pages and errors as well', async () => {
  const Soil = oneOf('Soil', soils, { description: 'Of the field' });
  const Field = namedObject('Field', { soil: Soil, before: nullable(Soil), sizes: Type.Array(Type.Number()) });
  const { paths, components } = await documentOf(
    pageOf(Field),
    namedObject('Crop', { field: Type.Optional(Field), soil: oneOf('Soil', soils, { description: 'That it likes' }) }),
  );
  const { responses } = paths['/api/v1/crops/0']?.get ?? {};
  assert.deepEqual(responses?.['200']?.content, { 'application/json': { schema: ref('FieldPage') } });
  assert.deepEqual(responses?.['401'], { $ref: '#/components/responses/Unauthorized' });
  assert.ok('Unauthorized' in components.responses);
  assert.deepEqual(Object.keys(components.schemas), [
    'Crop',
    'Field',
    'FieldPage',
    'SentenceParams',
    'ServiceError',
    'Soil',
  ]);
  const { Field: field, Crop: crop, Soil: soil } = components.schemas;
  assert.deepEqual(soil, { type: 'string', enum: ['CLAY', 'LOAM'] });
  assert.deepEqual(field, {
    type: 'object',
    required: ['soil', 'before', 'sizes'],
    properties: {
      soil: { ...ref('Soil'), description: 'Of the field' },
      before: { anyOf: [ref('Soil'), { type: 'null' }], description: 'Of the field' },
      sizes: { type: 'array', items: { type: 'number' } },
    },
  });
  assert.deepEqual(crop, {
    type: 'object',
    required: ['soil'],
    properties: { field: ref('Field'), soil: { ...ref('Soil'), description: 'That it likes' } },
  });
});

test('an object without a name is refused, wherever it stands', async () => {
  const nameless = Type.Object({ area: Type.Number() });
  await assert.rejects(documentOf(nameless), /^Error: getCrop0, answer 200: a schema has no name/);
  await assert.rejects(documentOf(Type.Array(namedObject('Crop', { field: nameless }))), /has no name.*"area"/);
  await assert.rejects(documentOf(Type.Union([nameless, Type.Null()])), /has no name/);
  assert.throws(() => pageOf(nameless), /has no name/);
  assert.throws(() => namedObject('crop', {}), /crop is no name for a schema: write it in PascalCase/);
});

test('a name is that of one schema', async () => {
  const Crop = namedObject('Crop', { name: Type.String() });
  await assert.rejects(
    documentOf(Crop, namedObject('Crop', { name: Type.Integer() })),
    /^Error: getCrop1, answer 200: two schemas are called Crop: /,
  );
  await assert.rejects(documentOf(namedObject('Soil', {}), oneOf('Soil', soils)), /two schemas are called Soil/);
  await assert.doesNotReject(documentOf(Crop, namedObject('Crop', { name: Type.String() })));
});

test('what has a default may be left out', async () => {
  const { components } = await documentOf(
    namedObject('Crop', { name: Type.String(), rows: Type.Integer({ default: 1 }) }),
  );
  assert.deepEqual((components.schemas['Crop'] as { required?: string[] }).required, ['name']);
});
