// Services that share a PostgreSQL have a data folder each. What one of them took in is not lost because another one lacks it.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { createPostgresDatabase, postgres } from './support/postgres.ts';
import { startApp, type RunningApp } from './support/server.ts';
import { testWith } from './support/tools.ts';

type Run = { id: string; status: string; error: string | null; counts: { in: number; kept: number } };

async function runOf(app: RunningApp, taskId: string): Promise<Run> {
  const path = `/data-cleaning/tasks/${taskId}`;
  const { status, body } = await app.api<{ data: Run }>('POST', `${path}/execute`, {});
  assert.equal(status, 200, JSON.stringify(body));
  for (;;) {
    const { data } = (await app.api<{ data: Run }>('GET', `${path}/runs/${body.data.id}`)).body;
    if (data.status !== 'QUEUED' && data.status !== 'RUNNING') return data;
    await setTimeout(50);
  }
}

testWith(
  [postgres],
  'bytes of another data folder are told from lost ones, and no run empties its target',
  async (t) => {
    const { url, drop } = await createPostgresDatabase();
    const settings = { TILTH_JWT_SECRET: 'one secret for both of the services' };
    const first = await startApp({ after: t.after.bind(t) }, { database: { url }, settings });
    const second = await startApp({ after: t.after.bind(t) }, { database: { url }, settings });
    t.after(drop);
    const { body: dataset } = await first.api<{ id: string }>('POST', '/data-management/datasets', {
      name: 'rows',
      type: 'TEXT',
    });
    const form = new FormData();
    form.append('files', new Blob(['{"text":"one row"}\n{"text":"two rows"}\n']), 'rows.jsonl');
    const files = `/data-management/datasets/${dataset.id}/files`;
    const [file] = (await first.api<{ id: string }[]>('POST', `${files}/upload`, form)).body;

    const download = await second.api<{ error: string; message: string }>('GET', `${files}/${file?.id}/download`);
    assert.equal(download.status, 503);
    assert.match(download.body.message, /not in the data folder of this service/);
    const headers = { authorization: `Bearer ${first.token}` };
    assert.equal((await fetch(`${first.url}/api/v1${files}/${file?.id}/download`, { headers })).status, 200);

    const task = await first.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
      name: 'clean',
      sourceDatasetId: dataset.id,
      steps: [{ operatorId: 'whitespace-normalizer' }],
    });
    const good = await runOf(first, task.body.data.id);
    assert.deepEqual([good.status, good.counts.in, good.counts.kept], ['COMPLETED', 2, 2]);
    const { targetDatasetId } = (
      await first.api<{ data: { targetDatasetId: string } }>('GET', `/data-cleaning/tasks/${task.body.data.id}`)
    ).body.data;
    const target = async () =>
      (await first.api<{ version: number; fileCount: number }>('GET', `/data-management/datasets/${targetDatasetId}`))
        .body;
    const before = await target();

    const bad = await runOf(second, task.body.data.id);
    assert.equal(bad.status, 'FAILED');
    assert.match(bad.error ?? '', /not in the data folder of this service/);
    const after = await target();
    assert.deepEqual([after.version, after.fileCount], [before.version, before.fileCount]);
  },
);
