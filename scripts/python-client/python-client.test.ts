import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { snakeCase, typeOf, type Document } from './document.ts';
import { renderPythonModels } from './models.ts';
import { renderPythonOperations, repeatableCalls } from './operations.ts';

const text = { type: 'string' };

test('names and types as Python has them', () => {
  assert.deepEqual(['datasetId', 'from', 'getOpenApi', 'sha256'].map(snakeCase), [
    'dataset_id',
    'from_',
    'get_open_api',
    'sha256',
  ]);
  assert.equal(typeOf({ type: ['string', 'null'] }), 'Optional[str]');
  assert.equal(
    typeOf({ anyOf: [{ $ref: '#/components/schemas/Run' }, { type: 'null' }] }, 'models.'),
    'Optional[models.Run]',
  );
  assert.equal(typeOf({ type: 'array', items: { enum: ['A', 'B'] } }), 'List[Literal["A", "B"]]');
  assert.equal(typeOf({ type: 'object', additionalProperties: { type: 'integer' } }), 'Dict[str, int]');
  assert.throws(() => typeOf({ type: 'object', properties: { a: text } }), /needs a name/);
});

test('fields may be absent, and words of the language', () => {
  const schemas = {
    Span: { type: 'object', properties: { from: text, to: text }, required: ['from', 'to'] },
    Change: { type: 'object', properties: { name: text, note: { ...text, description: 'Why' } }, required: ['name'] },
    ChangeEnvelope: { type: 'object', properties: { data: { $ref: '#/components/schemas/Change' } } },
  };
  const models = renderPythonModels(JSON.stringify({ paths: {}, components: { schemas } }));
  assert.match(models, /^Span = TypedDict\("Span", \{\n {4}"from": "str",\n {4}"to": "str",\n\}\)$/m);
  assert.match(models, /^class _ChangeRequired\(TypedDict\):\n {4}name: str$/m);
  assert.match(models, /^class Change\(_ChangeRequired, total=False\):\n {4}# Why\n {4}note: str$/m);
  assert.doesNotMatch(models, /Envelope/);
});

test('every call of the document is a method, and what may be repeated exists', async () => {
  const openApi = await readFile(new URL('../../docs/api.json', import.meta.url), 'utf8');
  const { paths } = JSON.parse(openApi) as Document;
  const operations = renderPythonOperations(openApi);
  const ids: string[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId }] of Object.entries(methods)) {
      if (!path.startsWith('/api/v1/')) continue;
      ids.push(operationId);
      const [, code = ''] = operations.split(`    def ${snakeCase(operationId)}(`);
      assert.notEqual(code, '', operationId);
      const isOnce = /repeatable=False/.test(code.slice(0, code.indexOf('    def ')));
      assert.equal(isOnce, ['post', 'patch'].includes(method) && !repeatableCalls.has(operationId), operationId);
    }
  for (const id of repeatableCalls) assert.ok(ids.includes(id), id);
});
