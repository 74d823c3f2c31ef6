import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Api } from './api.ts';

const datasets = '/data-management/datasets';

/** Adds files to a dataset (path → bytes); returns their ids. */
export async function putFiles({ api }: Api, datasetId: string, files: Record<string, Buffer>): Promise<string[]> {
  const form = new FormData();
  for (const [name, bytes] of Object.entries(files)) form.append('files', new Blob([Uint8Array.from(bytes)]), name);
  const { status, body } = await api<{ id: string }[]>('POST', `${datasets}/${datasetId}/files/upload`, form);
  assert.equal(status, 201, JSON.stringify(body));
  return body.map((file) => file.id);
}

/** Path → SHA-256 of the bytes served for the current version. */
export async function digestsOf({ api }: Api, datasetId: string): Promise<Record<string, string>> {
  type Files = { content: { id: string; filePath: string }[] };
  const { body } = await api<Files>('GET', `${datasets}/${datasetId}/files?size=100`);
  const found: Record<string, string> = {};
  for (const { id, filePath } of body.content) {
    const { status, body: bytes } = await api<Buffer>('GET', `${datasets}/${datasetId}/files/${id}/download`);
    assert.equal(status, 200, filePath);
    found[filePath] = createHash('sha256').update(bytes).digest('hex');
  }
  return found;
}
