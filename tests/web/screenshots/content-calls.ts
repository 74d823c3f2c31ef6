// Calls that fill a service with content.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningApp } from '../../support/server.ts';

type Answer = { id: string };

/** Calls of the areas with tasks. */
export function callsOf(api: RunningApp['api']) {
  const enveloped = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await api<{ data: Answer }>(method, path, body);
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const ended = async (address: string): Promise<void> => {
    for (;;) {
      const { body } = await api<{ data: { status: string } }>('GET', address);
      if (!['QUEUED', 'RUNNING'].includes(body.data.status)) return;
      await sleep(100);
    }
  };
  return { enveloped, ended };
}

/** Creates a dataset of type TEXT; returns its id. */
export async function createDataset(api: RunningApp['api'], name: string, tags: readonly string[]): Promise<string> {
  const { body } = await api<Answer>('POST', '/data-management/datasets', {
    name,
    description: 'What was written down beside the field, by hand and by machine',
    type: 'TEXT',
    tags,
  });
  return body.id;
}

/** Stores files; returns their ids by path. */
export async function upload(
  api: RunningApp['api'],
  datasetId: string,
  files: Readonly<Record<string, Uint8Array | string>>,
): Promise<Readonly<Record<string, string>>> {
  const form = new FormData();
  for (const [name, content] of Object.entries(files))
    form.append('files', new File([Buffer.from(content)], name), name);
  const { status, body } = await api<{ id: string; filePath: string }[]>(
    'POST',
    `/data-management/datasets/${datasetId}/files/upload`,
    form,
  );
  assert.equal(status, 201, JSON.stringify(body));
  return Object.fromEntries(body.map(({ id, filePath }) => [filePath, id]));
}
