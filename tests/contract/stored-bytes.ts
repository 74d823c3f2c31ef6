import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Client } from './client.ts';

/** Asserts that the current version of a dataset has a file with these bytes. */
export async function assertStored(client: Client, datasetId: string, path: string, wanted: Buffer): Promise<void> {
  const file = (await client.files(datasetId)).get(path) ?? assert.fail(`${path} isn't listed`);
  assert.ok((await client.download(datasetId, file.id)).bytes.equals(wanted), `${path} has other bytes`);
  const sum = createHash('sha256').update(wanted).digest('hex');
  assert.ok(file.sha256 === null || file.sha256 === sum, `${path} has another sha256`);
}
