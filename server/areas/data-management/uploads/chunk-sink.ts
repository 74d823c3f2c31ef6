import { invalid, type AppError } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { sniffBytes } from '../archives/archive-format.ts';
import type { ChunkForm } from './chunk-form.ts';
import { dataErrors } from '../errors.ts';
import type { File } from '../schemas/files.ts';
import type { UploadSession } from './upload-session.ts';

/** State of the upload after a chunk. */
export type ChunkState = {
  receivedChunks: number;
  completed: boolean;
  /** The complete file; undefined when it has been deleted since. */
  file: File | undefined;
};

/** The target of one chunk's bytes. */
export type ChunkSink = {
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Keeps the chunk unless `check`, called with its CRC-32, throws; if this rejects, nothing of the chunk is kept. */
  finish(sizeBytes: number, check: (crc32: number) => void): Promise<ChunkState>;
  abort(): Promise<void>;
};

/** Throws INVALID_PARAMETER when an upload would exceed its announced bytes. */
export function checkRoom({ receivedBytes, upload }: UploadSession, sizeBytes: number): void {
  if (receivedBytes + sizeBytes <= upload.total_size_bytes) return;
  throw invalid('file', parameterProblems.EXCEEDS_ANNOUNCED_BYTES.reason({ announced: upload.total_size_bytes }));
}

/** Throws UPLOAD_NOT_FOUND when an upload was abandoned or expired meanwhile. */
export function checkAlive({ ended, upload }: UploadSession): void {
  if (ended) throw dataErrors.UPLOAD_NOT_FOUND({ id: upload.id });
}

/** The file number belongs to another file. */
export function otherDivision({ fileNo }: ChunkForm, fileName: string, totalChunks: number): AppError {
  const received = `file ${fileNo} as ${fileName} in ${totalChunks} chunks`;
  return dataErrors.UPLOAD_CONFLICT({ received, remedy: 'give another file another fileNo' }, { field: 'fileNo' });
}

/** The chunk was already received with other bytes. */
export function otherBytes({ fileNo, chunkNo }: ChunkForm): AppError {
  const received = `chunk ${chunkNo} of file ${fileNo} with other bytes`;
  return dataErrors.UPLOAD_CONFLICT(
    { received, remedy: 'send the same bytes, or the file under another fileNo' },
    { field: 'file' },
  );
}

/** Collects the first bytes of a file, up to the number needed to recognise an archive. */
export function extendHead(head: Buffer | undefined, bytes: Uint8Array): Buffer {
  if (head !== undefined && head.length >= sniffBytes) return head;
  const more = bytes.subarray(0, sniffBytes - (head?.length ?? 0));
  return head === undefined ? Buffer.from(more) : Buffer.concat([head, more]);
}
