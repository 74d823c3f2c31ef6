// Services over an object store, and the files that they store in it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Api } from './api.ts';
import { credentialsOf, sharedS3, type S3Server } from './versitygw.ts';

const mebibyte = 1024 * 1024;

type Place = { settings: Record<string, string>; directory: string; url: string; server: S3Server };

/** Settings for a separate folder in the bucket. */
export async function newPlace(endpoint?: string): Promise<Place> {
  const server = await sharedS3();
  const prefix = `service-${randomUUID()}`;
  const url = `s3://${server.bucket}/${prefix}`;
  const settings = {
    TILTH_STORAGE_URL: url,
    TILTH_STORAGE_ENDPOINT: endpoint ?? server.endpoint,
    ...credentialsOf(server),
  };
  Object.assign(process.env, credentialsOf(server));
  return { settings, directory: join(server.folder, prefix), url, server };
}

type Answer = { completed: boolean; file?: { id: string } };

/** Announces an upload into a new dataset; returns the call that sends a chunk. */
export async function beginUpload(
  service: Api,
  totalFileNum: number,
  chunkSize: number | undefined,
): Promise<(fields: Chunk) => Promise<{ status: number; body: Answer & { error?: string } }>> {
  const { body } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Rye',
    type: 'TEXT',
  });
  const path = `/data-management/datasets/${body.id}/files/upload`;
  const announced = { totalFileNum, totalSize: 100 * mebibyte, ...(chunkSize === undefined ? {} : { chunkSize }) };
  const { body: reqId } = await service.api<string>('POST', `${path}/pre-upload`, announced);
  return ({ bytes, ...fields }) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ reqId, ...fields })) form.set(name, String(value));
    form.set('file', new Blob([new Uint8Array(bytes)]), fields.fileName);
    return service.api('POST', `${path}/chunk`, form);
  };
}

export type Chunk = { fileNo: number; fileName: string; totalChunkNum: number; chunkNo: number; bytes: Uint8Array };

/** The bytes of `large.bin`. */
export async function download(service: Api, range?: string): Promise<{ status: number; bytes: Buffer }> {
  const { datasetId, fileId } = await findFile(service, 'large.bin');
  const answer = await fetch(`${service.url}/api/v1/data-management/datasets/${datasetId}/files/${fileId}/download`, {
    headers: { authorization: `Bearer ${service.token}`, ...(range === undefined ? {} : { range }) },
  });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** A file of the dataset of `beginUpload`. */
export async function findFile(service: Api, name: string): Promise<{ datasetId: string; fileId: string }> {
  const { body: sets } = await service.api<{ content: { id: string; name: string }[] }>(
    'GET',
    '/data-management/datasets',
  );
  const datasetId = sets.content.find((dataset) => dataset.name === 'Rye')?.id ?? assert.fail();
  const { body } = await service.api<{ content: { id: string; fileName: string }[] }>(
    'GET',
    `/data-management/datasets/${datasetId}/files`,
  );
  return {
    datasetId,
    fileId: body.content.find((file) => file.fileName === name)?.id ?? assert.fail(JSON.stringify(body)),
  };
}
