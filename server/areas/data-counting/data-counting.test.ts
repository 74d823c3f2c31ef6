import assert from 'node:assert/strict';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Answer<T> = { data: T };
type Task = { id: string; sourceDatasetId: string; status: string; counts: { in: number; kept: number } };

shared.forAnyDatabase('a run counts the files of its dataset', async (_t, { api }) => {
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  const form = new FormData();
  for (const path of ['a.txt', 'b.txt']) form.append('files', new Blob(['text']), path);
  await api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  const at = '/data-counting/tasks';
  const created = await api<Answer<Task>>('POST', at, { name: 'Count', sourceDatasetId: dataset.id });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { id } = created.body.data;
  await api('POST', `${at}/${id}/execute`, {});
  for (;;) {
    const { status, counts } = (await api<Answer<Task>>('GET', `${at}/${id}`)).body.data;
    assert.ok(['PENDING', 'RUNNING', 'COMPLETED'].includes(status), status);
    if (status !== 'COMPLETED') continue;
    assert.deepEqual([counts.in, counts.kept], [2, 2]);
    break;
  }
  const unknown = await api<{ error: string }>('POST', at, { name: 'Count', sourceDatasetId: 'unknown' });
  assert.equal(unknown.status, 404);
});
