import assert from 'node:assert/strict';
import type { Api } from './server.ts';

export const soilText = `# Soil

Tillage loosens the upper layer of the soil before the seeds are sown in spring. A disc harrow cuts the roots of weeds and crumbles heavy clods.

Irrigation brings water to dry fields, and drains under the furrows lead the rest of it away to the river.
`;

/** Makes a dataset of files by their names; returns its id. */
export async function createSource(
  service: Api,
  files: Readonly<Record<string, string>>,
  name = 'Source',
): Promise<string> {
  const created = await service.api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { id } = created.body;
  await uploadFiles(service, id, files);
  return id;
}

/** Adds files to a dataset, as one version. */
export async function uploadFiles(
  service: Api,
  datasetId: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const path = `/data-management/datasets/${datasetId}/files/upload`;
  const entries = Object.entries(files);
  const totalSize = entries.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0);
  const announced = { totalFileNum: entries.length, totalSize };
  const { body: reqId } = await service.api<string>('POST', `${path}/pre-upload`, announced);
  for (const [index, [name, text]] of entries.entries()) {
    const form = new FormData();
    const fields = { reqId, fileNo: index + 1, fileName: name, totalChunkNum: 1, chunkNo: 1 };
    for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
    form.set('file', new Blob([text]), name);
    const { status, body } = await service.api('POST', `${path}/chunk`, form);
    assert.equal(status, 200, JSON.stringify(body));
  }
}

/** A dataset with a broken PDF, a document and a table of two rows. */
export function openCsvAndText(service: Api): Promise<string> {
  return createSource(service, {
    'broken.pdf': '%PDF-1.7 nothing',
    'notes/soil.md': soilText,
    'rows.csv': 'id,text\n1,"Harrows, ""heavy"" ones"\n2,Ploughs turn the furrow slice\n',
  });
}
