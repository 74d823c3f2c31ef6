// Published operators and tasks that use them, through the API.
import assert from 'node:assert/strict';
import { formOf, packageOf, tgz } from './operator-packages.ts';
import type { Api } from './api.ts';

type Call = Api['api'];
export type Data<T> = { data: T; error: string };
type Run = { id: string; status: string; counts: Record<string, number>; error: string | null };

/** Publishes a package; returns its digest. */
export async function publish(api: Call, changes: object = {}, source?: string): Promise<string> {
  const form = formOf(tgz(packageOf(changes, source)));
  const { status, body } = await api<Data<{ digest: string }>>('POST', '/operator-market/operators', form);
  assert.equal(status, 201, JSON.stringify(body));
  return body.data.digest;
}

/** Creates a dataset with a row per text; returns its id. */
export async function datasetOf(api: Call, texts: readonly string[]): Promise<string> {
  const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'Texts', type: 'TEXT' });
  const form = new FormData();
  form.append('files', new Blob([texts.map((text) => `${JSON.stringify({ text })}\n`).join('')]), 'a.jsonl');
  assert.equal((await api('POST', `/data-management/datasets/${body.id}/files/upload`, form)).status, 201);
  return body.id;
}

/** Creates a task of data cleaning. */
export async function newTask(api: Call, sourceDatasetId: string, steps: object[]) {
  return api<Data<{ id: string; steps: { version: string; digest: string }[] }>>('POST', '/data-cleaning/tasks', {
    name: 'End',
    sourceDatasetId,
    steps,
  });
}

/** Executes a task and waits for the end of the run. */
export async function runOf(api: Call, taskId: string): Promise<Run> {
  const started = await api<Data<Run>>('POST', `/data-cleaning/tasks/${taskId}/execute`, {});
  assert.ok(started.status < 300, JSON.stringify(started.body));
  for (;;) {
    const path = `/data-cleaning/tasks/${taskId}/runs/${started.body.data.id}`;
    const { data } = (await api<Data<Run>>('GET', path)).body;
    if (data.status !== 'QUEUED' && data.status !== 'RUNNING') return data;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
