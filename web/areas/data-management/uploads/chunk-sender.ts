import { csrfToken } from '../../../api/client.ts';
import { OfflineError, parseError } from '../../../api/errors.ts';
import type { paths } from '../../../api/schema.ts';

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

/** Sends one chunk. Throws an ApiError, an OfflineError, or an AbortError when `signal` says so. */
export type SendChunk = (
  chunk: Chunk,
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
) => Promise<ChunkAnswer>;

/** By XMLHttpRequest: fetch does not tell how much of a body has gone. */
export const sendChunk: SendChunk = (chunk, signal, onProgress) =>
  new Promise((resolve, reject) => {
    const { datasetId, blob, ...fields } = chunk;
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
    form.append('file', blob, 'chunk');
    const request = new XMLHttpRequest();
    request.open('POST', `/api/v1/data-management/datasets/${encodeURIComponent(datasetId)}/files/upload/chunk`);
    request.setRequestHeader('x-csrf-token', csrfToken());
    const abort = (): void => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      // The form around the bytes is told with them.
      onProgress(total === 0 ? 0 : Math.round((loaded / total) * blob.size));
    });
    request.addEventListener('loadend', () => {
      signal.removeEventListener('abort', abort);
      if (signal.aborted) reject(new DOMException('The upload was paused', 'AbortError'));
      else if (request.status === 0) reject(new OfflineError());
      else if (request.status === 200) resolve(JSON.parse(request.responseText) as ChunkAnswer);
      else reject(parseError(request.status, { get: (name) => request.getResponseHeader(name) }, request.responseText));
    });
    if (signal.aborted) reject(new DOMException('The upload was paused', 'AbortError'));
    else request.send(form);
  });
