import type { paths } from '../../../api/schema.ts';
import { sendForm } from './form-sender.ts';

export type ChunkAnswer =
  paths['/api/v1/data-management/datasets/{datasetId}/files/upload/chunk']['post']['responses'][200]['content']['application/json'];

export type Chunk = {
  datasetId: string;
  reqId: string;
  fileNo: number;
  fileName: string;
  chunkNo: number;
  totalChunkNum: number;
  checkSumHex: string;
  blob: Blob;
};

/** Sends one chunk. Throws an ApiError, an OfflineError, or an AbortError when `signal` fires. */
export type SendChunk = (
  chunk: Chunk,
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
) => Promise<ChunkAnswer>;

export const sendChunk: SendChunk = (chunk, signal, onProgress) => {
  const { datasetId, blob, ...fields } = chunk;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append('file', blob, 'chunk');
  const path = `/api/v1/data-management/datasets/${encodeURIComponent(datasetId)}/files/upload/chunk`;
  // The browser's progress includes the form around the bytes.
  return sendForm(path, form, signal, (share) => onProgress(Math.round(share * blob.size)));
};
