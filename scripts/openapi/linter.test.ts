import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { lintOpenApi } from './linter.ts';

const document = await readFile(new URL('../../docs/api.json', import.meta.url), 'utf8');

type Answer = { headers: Record<string, unknown> };
type Api = { paths: Record<string, Record<string, { operationId?: string; responses: Record<string, Answer> }>> };

test('the linter finds nothing wrong with the API document', async () => {
  assert.deepEqual(await lintOpenApi(document), []);
});

test('the linter finds a header of the wrong shape, an operation without a name and one name for two operations', async () => {
  const api = JSON.parse(document) as Api;
  const { get: list, post: create } = api.paths['/api/v1/data-management/datasets'] ?? {};
  const { get: one } = api.paths['/api/v1/data-management/datasets/{datasetId}'] ?? {};
  assert.ok(list !== undefined && create !== undefined && one !== undefined);
  list.responses['200'] = { headers: { ETag: { schema: { schema: { type: 'string' } } } } };
  delete create.operationId;
  one.operationId = 'listDatasets';
  const findings = (await lintOpenApi(JSON.stringify(api))).join('\n');
  assert.match(findings, /datasets\/get\/responses\/200\/headers\/ETag\/schema.*\(struct\)/);
  assert.match(findings, /datasets\/post.*\(operation-operationId\)/);
  assert.match(findings, /\{datasetId\}\/get.*\(operation-operationId-unique\)/);
});
