import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { startService } from './service.ts';

test('the OpenAPI document', async (t) => {
  const { anonymous, openApi } = await startService(t);

  await t.test('is public and of version 3.1', async () => {
    const { openapi } = (await anonymous.get('/openapi.json')).is(200, Type.Object({ openapi: Type.String() }));
    assert.match(openapi, /^3\.1\./);
  });

  await t.test('describes each call: a summary, its path parameters, a success and its errors', () => {
    for (const { method, path, summary, parameters, responses, isPublic } of openApi.operations) {
      const where = `${method} ${path}`;
      assert.ok(summary.length > 0, `${where} has no summary`);
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      assert.deepEqual([...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => String(name)).sort(), named.sort(), where);
      assert.ok(
        [...responses.keys()].some((status) => status.startsWith('2')),
        `${where} has no success`,
      );
      if (!isPublic && path.startsWith('/api/v1/')) {
        for (const status of ['401', '429'])
          assert.ok(responses.has(status) || responses.has('default') || responses.has('4XX'), `${where}: ${status}`);
      }
    }
  });

  await t.test('holds references that lead somewhere', () => {
    const text = JSON.stringify(openApi.raw);
    for (const [, reference] of text.matchAll(/"\$ref":"([^"]+)"/g)) {
      let target: unknown = openApi.raw;
      for (const key of String(reference).replace('#/', '').split('/')) target = Object(target)[key];
      assert.notEqual(target, undefined, reference);
    }
  });
});
