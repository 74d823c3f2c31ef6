import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../../tests/support/server.ts';
import type { File } from './schemas/files.ts';
import type { VersionDiff } from './schemas/version-diffs.ts';
import type { Pruned, Version } from './schemas/versions.ts';

test('a version is compared, restored with its bytes, and pruned', async (t) => {
  const { api, url, token } = await startApp(t);
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  const at = `/data-management/datasets/${dataset.id}`;
  const upload = async (path: string, content: string): Promise<File | undefined> => {
    const form = new FormData();
    form.append('files', new Blob([content]), path);
    return (await api<File[]>('POST', `${at}/files/upload`, form)).body[0];
  };
  const read = async (id: string, query = ''): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/api/v1${at}/files/${id}/download${query}`, { headers });
    return answer.text();
  };
  const { id = '' } = (await upload('a.txt', 'first')) ?? {};
  await upload('a.txt', 'second content');
  await upload('b.txt', 'more');
  const diff = await api<VersionDiff>('GET', `${at}/diff?from=2&change=CHANGED`);
  assert.deepEqual([diff.status, diff.body.to, diff.body.totalElements], [200, 4, 1]);
  assert.deepEqual(diff.body.summary, { added: 1, changed: 1, moved: 0, removed: 0, bytesBefore: 5, bytesAfter: 18 });
  const [change] = diff.body.content;
  assert.deepEqual([change?.before?.fileSize, change?.after?.fileSize, change?.after?.id], [5, 14, id]);

  const restored = await api<Version>('POST', `${at}/restore`, { version: 2 });
  assert.deepEqual([restored.status, restored.body.version, restored.body.fileCount], [200, 5, 1]);
  assert.equal(await read(id), 'first');
  for (const [path, body] of [
    ['prune', { keepLast: 1, dryrun: true }],
    ['versions', { name: 'first', version: 2 }],
    ['purge', { fileIds: [id], dryRun: true }],
  ] as const) {
    const { status, body: refusal } = await api<{ message: string }>('POST', `${at}/${path}`, body);
    assert.equal(status, 400, `${path} does nothing that was not meant: ${JSON.stringify(refusal)}`);
    assert.match(refusal.message, /is not a known field; known fields are/);
  }
  const pruned = await api<Pruned>('POST', `${at}/prune`, { keepLast: 1 });
  assert.deepEqual([pruned.status, pruned.body.versions, pruned.body.files, pruned.body.bytes], [200, 4, 3, 18]);
  assert.equal(await read(id), 'first', 'the restored file holds its bytes on its own');
  assert.equal((await api('GET', `${at}/files?version=2`)).status, 404);

  const { body: key } = await api<{ key: string }>('POST', '/auth/api-keys', { name: 'k', role: 'VIEWER' });
  for (const action of ['restore', 'prune']) {
    const headers = { 'x-api-key': key.key, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{"version":5,"keepLast":1}' };
    assert.equal((await fetch(`${url}/api/v1${at}/${action}`, init)).status, 403);
  }
});
