import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRun } from '../support/long-tests.ts';
import { sharedService } from '../contract/service.ts';

const shared = sharedService(import.meta.url);
const data = '/data-management';

shared.forAnyDatabase('query strings', async (t, { admin, openApi }) => {
  const { id } = await admin.newDataset({ name: 'Fields' });
  const [file] = await admin.putFiles(id, { 'a.txt': 'a' });
  const ids: Record<string, string> = { datasetId: id, fileId: file?.id ?? '' };
  const values = [
    '',
    '%00',
    '%ff',
    '%zz',
    '%',
    '-1',
    '1e309',
    'NaN',
    'null',
    'undefined',
    '[]',
    '{}',
    "'",
    '%27%20OR%201=1',
    'x'.repeat(4000),
    '%F0%9F%8C%BE',
    'true',
    '0',
    '%0d%0aSet-Cookie:%20x=1',
  ];

  for (const { method, path, parameters } of openApi.operations) {
    const named = parameters.filter((parameter) => parameter.in === 'query');
    if (method !== 'GET' || named.length === 0 || path.includes('/events')) continue;
    const real = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '0198c0de-0000-7000-8000-000000000000');
    await t.test(`${method} ${path}`, async () => {
      for (const [place, { name }] of named.entries()) {
        // All calls parse addresses alike, so each parameter gets a part of the values and forms, different from the parameter before.
        const start = place + path.length;
        for (const value of values.filter(
          (value, index) => isLongRun || value === '%00' || (index + start) % 6 === 0,
        )) {
          const answer = await admin.callRaw(method, `${real}?${name}=${value}`);
          assert.ok(answer.status < 500, `${name}=${value} → ${answer.status}`);
          assert.equal(answer.headers['set-cookie'], undefined);
        }
        const forms = [`${name}=1&${name}=2`, `${name}[]=1`, `${name}[a]=1`, `${name}.x=1`, name, `&&=&${name}=1`];
        for (const query of forms.filter((_, index) => isLongRun || (index + start) % 3 === 0)) {
          const answer = await admin.callRaw(method, `${real}?${query}`);
          assert.ok(answer.status < 500, `${query} → ${answer.status}`);
        }
      }
    });
  }

  await t.test('text that can’t be text is refused', async () => {
    for (const value of ['%00', 'a%00b', '%ff', '%c0%ae', '%ed%a0%80', '%zz', '%']) {
      (await admin.get(`${data}/datasets?keyword=${value}`)).fails(400, 'INVALID_PARAMETER', 'keyword');
      (await admin.get(`${data}/datasets?tags=${value}`)).fails(400, 'INVALID_PARAMETER', 'tags');
      (await admin.get(`${data}/tags?keyword=${value}`)).fails(400, 'INVALID_PARAMETER', 'keyword');
      (await admin.get(`${data}/datasets/${id}/files?keyword=${value}`)).fails(400, 'INVALID_PARAMETER', 'keyword');
      (await admin.get(`${data}/datasets/${id}/files?fileType=${value}`)).fails(400, 'INVALID_PARAMETER', 'fileType');
    }
  });

  await t.test('SQL stays text', async () => {
    for (const value of ["'; drop table datasets; --", '" or ""="', '%_\\', "x' union select 1 --"]) {
      const encoded = encodeURIComponent(value);
      for (const path of [
        `${data}/datasets?keyword=${encoded}`,
        `${data}/datasets?tags=${encoded}`,
        `${data}/tags?keyword=${encoded}`,
      ]) {
        const body = (await admin.get(path)).json() as { content?: unknown[] } | unknown[];
        assert.deepEqual(Array.isArray(body) ? body : body.content, [], path);
      }
    }
    assert.equal((await admin.dataset(id)).name, 'Fields');
  });
});

test('ids and search texts of a hundred kilobytes', async () => {
  const { admin } = await shared.open();
  for (const path of [`${data}/datasets/${'a'.repeat(15_000)}`, `${data}/datasets?keyword=${'k'.repeat(14_000)}`]) {
    const answer = await admin.get(path);
    assert.ok(answer.status < 500, String(answer.status));
  }
});
