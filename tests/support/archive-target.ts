import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Api } from './api.ts';

type Named = { path: string; reason: string };
type Effects = {
  files: number;
  bytes: number;
  replaced: number;
  replacedPaths: string[];
  renamed: number;
  renames: { path: string; renamedTo: string }[];
  overwritten: number;
  overwrittenPaths: string[];
  folders: number;
  nameEncoding: string | null;
  guessedNames: number;
  warnings: string[];
};
/** Outcome of an archive in an upload. */
export type UnpackedArchive = Effects & { status: string; refused: number; refusals: Named[]; error: string | null };
/** The response to a streamed archive; an error has a message. */
export type StreamedArchive = Effects & { failed: number; failures: Named[]; message: string };

/** A new dataset that accepts archives on both routes. */
export type ArchiveTarget = {
  base: string;
  paths(): Promise<string[]>;
  /** Uploads an archive with `hasArchive` and waits until it is unpacked. */
  unpack(fileName: string, bytes: Buffer, options?: object): Promise<UnpackedArchive>;
  stream(query: string, bytes: Buffer): Promise<{ status: number; body: StreamedArchive }>;
};

export async function openArchiveTarget(service: Api): Promise<ArchiveTarget> {
  const { body } = await service.api<{ id: string }>('POST', '/data-management/datasets', { name: 'e', type: 'TEXT' });
  const base = `/data-management/datasets/${body.id}/files`;
  return {
    base,
    async paths() {
      const { body: list } = await service.api<{ content: { filePath: string }[] }>('GET', `${base}?size=1000`);
      return list.content.map((file) => file.filePath);
    },
    async unpack(fileName, bytes, options = {}) {
      const announcement = { totalFileNum: 1, totalSize: bytes.length, hasArchive: true, ...options };
      const { body: reqId } = await service.api<string>('POST', `${base}/upload/pre-upload`, announcement);
      const form = new FormData();
      const fields = { reqId, fileNo: 0, fileName, totalChunkNum: 1, chunkNo: 1 };
      for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
      form.set('file', new Blob([new Uint8Array(bytes)]), 'blob');
      assert.equal((await service.api('POST', `${base}/upload/chunk`, form)).status, 200);
      for (;;) {
        const { body: status } = await service.api<{ archives: UnpackedArchive[] }>('GET', `${base}/upload/${reqId}`);
        const [receipt] = status.archives;
        if (receipt !== undefined && receipt.status !== 'PROCESSING') return receipt;
        await setTimeout(10);
      }
    },
    stream: (query, bytes) =>
      service.api<StreamedArchive>('POST', `${base}/upload/stream?${query}`, new Uint8Array(bytes)),
  };
}
