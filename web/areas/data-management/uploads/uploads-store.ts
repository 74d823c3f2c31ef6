import type { QueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import type { paths } from '../../../api/schema.ts';
import { session } from '../../../api/session.ts';
import { datasetKeys } from '../dataset-queries.ts';
import { createChecksums } from './checksums.ts';
import { chunkBytesFor } from './chunk-plan.ts';
import { sendChunk } from './chunk-sender.ts';
import type { ChosenFile } from './dropped-files.ts';
import { createFileGroupSender } from './file-group-sender.ts';
import { createRememberedUploads, type RememberedUpload } from './remembered-uploads.ts';
import { createUpload, type Received, type Upload } from './upload.ts';

type Announcement =
  paths['/api/v1/data-management/datasets/{datasetId}/files/upload/pre-upload']['post']['requestBody']['content']['application/json'];

export type UploadStatus =
  paths['/api/v1/data-management/datasets/{datasetId}/files/upload/{reqId}']['get']['responses'][200]['content']['application/json'];

export type NewUpload = {
  datasetId: string;
  prefix: string | undefined;
  files: readonly ChosenFile[];
  onConflict: NonNullable<Announcement['onConflict']>;
  unpackArchives: boolean;
  unpackInto: NonNullable<Announcement['unpackInto']>;
  /** Encoding of names in archives that do not declare it; undefined: detected. */
  nameEncoding?: string | undefined;
};

/** An upload of an earlier visit, with the paths of its incomplete files. */
export type InterruptedUpload = RememberedUpload & { missing: readonly string[] };

const refreshMs = 3_000;

const remembered = createRememberedUploads();
const checksums = createChecksums();
const sendGroup = createFileGroupSender(checksums);
let uploads: readonly Upload[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

/** The uploads of this browser tab, whatever page is open. */
export const uploadsStore = {
  list: (): readonly Upload[] => uploads,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  /** Announces an upload and starts sending it. */
  async begin(upload: NewUpload, queryClient: QueryClient): Promise<Upload> {
    const sizes = upload.files.map(({ file }) => file.size);
    const chunkBytes = chunkBytesFor(sizes);
    const reqId = await dataOf(
      api.POST('/api/v1/data-management/datasets/{datasetId}/files/upload/pre-upload', {
        params: { path: { datasetId: upload.datasetId } },
        body: {
          totalFileNum: upload.files.length,
          totalSize: sizes.reduce((sum, size) => sum + size, 0),
          chunkSize: chunkBytes,
          hasArchive: upload.unpackArchives,
          onConflict: upload.onConflict,
          unpackInto: upload.unpackInto,
          ...(upload.prefix === undefined ? {} : { prefix: upload.prefix }),
          ...(upload.nameEncoding === undefined ? {} : { nameEncoding: upload.nameEncoding }),
        },
      }),
    );
    await remembered.put({
      reqId,
      datasetId: upload.datasetId,
      prefix: upload.prefix ?? '',
      chunkBytes,
      createdAt: new Date().toISOString(),
      files: upload.files.map(({ path, file }) => ({ path, sizeBytes: file.size, lastModified: file.lastModified })),
    });
    return follow(
      createUpload({
        ...common(upload.datasetId, reqId, chunkBytes),
        files: upload.files.map(({ path, file }) => ({ path, sizeBytes: file.size, file })),
      }),
      queryClient,
    );
  },

  /** Unfinished uploads of earlier visits that the service still knows, with their missing chunks. */
  async interrupted(): Promise<InterruptedUpload[]> {
    const here = new Set(uploads.map(({ reqId }) => reqId));
    const found: InterruptedUpload[] = [];
    for (const upload of await remembered.list()) {
      if (here.has(upload.reqId)) continue;
      const status = await statusOf(upload.datasetId, upload.reqId, 0).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      });
      if (status === undefined || status.uploadCompleted) await remembered.remove(upload.reqId);
      else {
        const received = await receivedOf(upload);
        const missing = upload.files.filter((_file, fileNo) => received.get(fileNo)?.done !== true);
        found.push({ ...upload, missing: missing.map(({ path }) => path) });
      }
    }
    return found;
  },

  /** Resumes an interrupted upload with the files chosen again. */
  async resume(upload: RememberedUpload, chosen: readonly ChosenFile[], queryClient: QueryClient): Promise<Upload> {
    const byPath = new Map(chosen.map(({ path, file }) => [path, file]));
    return follow(
      createUpload({
        ...common(upload.datasetId, upload.reqId, upload.chunkBytes),
        files: upload.files.map(({ path, sizeBytes }) => {
          const file = byPath.get(path);
          return { path, sizeBytes, file: file?.size === sizeBytes ? file : undefined };
        }),
        received: await receivedOf(upload),
      }),
      queryClient,
    );
  },

  /** Discards an upload: complete files stay in the dataset, the rest is deleted. */
  async discard({ datasetId, reqId }: { datasetId: string; reqId: string }, queryClient: QueryClient): Promise<void> {
    uploads.find((upload) => upload.reqId === reqId)?.cancel();
    try {
      await dataOf(
        api.DELETE('/api/v1/data-management/datasets/{datasetId}/files/upload/{reqId}', {
          params: { path: { datasetId, reqId } },
        }),
      );
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
    await remembered.remove(reqId);
    uploadsStore.close(reqId);
    await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
  },

  /** Removes an upload from the list. */
  close(reqId: string): void {
    change(uploads.filter((upload) => upload.reqId !== reqId));
  },
};

/** The status of an upload, including the results of its archives. */
export function statusOf(datasetId: string, reqId: string, fromFileNo: number): Promise<UploadStatus> {
  return dataOf(
    api.GET('/api/v1/data-management/datasets/{datasetId}/files/upload/{reqId}', {
      params: { path: { datasetId, reqId }, query: { fromFileNo } },
    }),
  );
}

function common(datasetId: string, reqId: string, chunkBytes: number) {
  return { datasetId, reqId, chunkBytes, checksums, send: sendChunk, sendGroup, renewSession: () => session.renew() };
}

function follow(upload: Upload, queryClient: QueryClient): Upload {
  change([...uploads, upload]);
  const refresh = (): void =>
    void queryClient.invalidateQueries({ queryKey: [...datasetKeys.all, 'one', upload.datasetId] });
  const timer = setInterval(() => {
    if (upload.progress().state === 'running') refresh();
  }, refreshMs);
  upload.start();
  void upload.ended().then(async (state) => {
    if (state === 'completed' || state === 'cancelled') {
      clearInterval(timer);
      await remembered.remove(upload.reqId);
    }
    await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
  });
  return upload;
}

async function receivedOf({ datasetId, reqId }: RememberedUpload): Promise<Map<number, Received>> {
  const received = new Map<number, Received>();
  for (let from: number | null = 0; from !== null;) {
    const status: UploadStatus = await statusOf(datasetId, reqId, from);
    for (const range of status.completed)
      for (let fileNo = range.from; fileNo <= range.to; fileNo += 1)
        received.set(fileNo, { done: true, missingChunks: [] });
    for (const { fileNo, missingChunks } of status.incomplete) received.set(fileNo, { done: false, missingChunks });
    from = status.nextFileNo;
  }
  return received;
}

// Asks before the page is closed during an upload.
addEventListener('beforeunload', (event) => {
  if (uploads.some((upload) => upload.progress().state === 'running')) event.preventDefault();
});
