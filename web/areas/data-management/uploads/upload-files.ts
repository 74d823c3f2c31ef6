import { chunkCount, chunkRange } from './chunk-plan.ts';
import type { FileState, UploadFile } from './upload-file.ts';

/** The chunks of a file that the service has received. */
export type Received = { done: boolean; missingChunks: readonly { from: number; to: number }[] | undefined };

export type ChosenFiles = {
  chunkBytes: number;
  files: readonly { path: string; sizeBytes: number; file: File | undefined }[];
  /** By file number; nothing was received of files that are missing here. */
  received?: ReadonlyMap<number, Received>;
};

type ChunkNumbers = { from: number; to: number };

export type UploadFiles = {
  readonly list: readonly UploadFile[];
  /** Incomplete files with their missing chunks. */
  readonly toSend: readonly { file: UploadFile; missing: readonly ChunkNumbers[] }[];
  /** Total bytes, and files by state. */
  readonly totals: Readonly<Totals>;
  setState(file: UploadFile, next: FileState): void;
  /** Adds bytes of a file that the service has acknowledged. */
  acknowledge(file: UploadFile, bytes: number): void;
};

type Totals = { bytes: number; sent: number; done: number; failed: number; absent: number };

/** The files of an upload with their progress, and totals. */
export function createUploadFiles({ chunkBytes, files, received: known }: ChosenFiles): UploadFiles {
  const list: UploadFile[] = [];
  const toSend: { file: UploadFile; missing: readonly ChunkNumbers[] }[] = [];
  const totals: Totals = { bytes: 0, sent: 0, done: 0, failed: 0, absent: 0 };

  for (const [fileNo, { path, sizeBytes, file }] of files.entries()) {
    const received = known?.get(fileNo);
    const missing = received?.missingChunks ?? [{ from: 1, to: chunkCount(sizeBytes, chunkBytes) }];
    const isDone = received?.done === true;
    const item: UploadFile = {
      fileNo,
      path,
      sizeBytes,
      file,
      state: isDone ? 'done' : file === undefined ? 'absent' : 'waiting',
      acknowledgedBytes: isDone ? sizeBytes : sizeBytes - bytesOf(missing, sizeBytes),
      inFlightBytes: 0,
      error: undefined,
      warnings: [],
      storedPath: undefined,
    };
    list.push(item);
    if (!isDone) toSend.push({ file: item, missing });
    totals.bytes += sizeBytes;
    totals.sent += item.acknowledgedBytes;
    count(item.state, 1);
  }

  function bytesOf(ranges: readonly ChunkNumbers[], sizeBytes: number): number {
    return ranges.reduce(
      (sum, { from, to }) =>
        sum + chunkRange(to, sizeBytes, chunkBytes).to - chunkRange(from, sizeBytes, chunkBytes).from,
      0,
    );
  }

  function count(state: FileState, by: number): void {
    if (state === 'done') totals.done += by;
    if (state === 'failed') totals.failed += by;
    if (state === 'absent') totals.absent += by;
  }

  return {
    list,
    toSend,
    totals,
    setState(file, next) {
      if (file.state === next) return;
      count(file.state, -1);
      count(next, 1);
      file.state = next;
    },
    acknowledge(file, bytes) {
      file.acknowledgedBytes += bytes;
      totals.sent += bytes;
    },
  };
}
