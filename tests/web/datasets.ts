// Datasets that tests of pages work on, and folders of files that they upload.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { RunningApp } from '../support/server.ts';

/** Creates a dataset of type TEXT; returns its id. */
export async function createDataset({ api }: RunningApp, name: string, tags: readonly string[] = []): Promise<string> {
  const { status, body } = await api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT', tags });
  assert.equal(status, 201);
  return body.id;
}

/** Creates a dataset of type TEXT that contains `files` (path → content); returns its id. */
export async function datasetWithFiles(
  app: RunningApp,
  name: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  tags: readonly string[] = [],
): Promise<string> {
  const id = await createDataset(app, name, tags);
  const form = new FormData();
  for (const [path, content] of Object.entries(files))
    form.append('files', new File([Buffer.from(content)], path), path);
  const { status } = await app.api('POST', `/data-management/datasets/${id}/files/upload`, form);
  assert.equal(status, 201);
  return id;
}

/** An empty folder that is deleted with the test. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-web-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
