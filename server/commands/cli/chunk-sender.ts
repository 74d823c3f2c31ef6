import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { fileProblem, ServiceRefusal } from './cli-problem.ts';
import { datasetsParts } from './datasets.ts';
import type { LocalFile } from './local-files.ts';
import type { ReceivedChunks } from './received-chunks.ts';
import { apiPath, type ServiceClient } from './service-client.ts';
import { forEachAtOnce } from './transfer-report.ts';

export type UploadedFile = LocalFile & { fileNo: number };

/** Callbacks of a transfer: bytes sent, and files that cannot be stored, with the reason. */
export type SendingListener = {
  onBytes(bytes: number, file: UploadedFile): void;
  onFailed(file: UploadedFile, reason: string): void;
};

type Chunk = { file: UploadedFile; chunkNo: number; chunks: number };
type FileOutcome = { fileNo: number; fileCompleted: boolean; error?: { message: string } };

const atOnce = 4;
const smallBytes = 256 * 1024;
const mostGroupBytes = 4 * 1024 * 1024;
const mostGroupFiles = 500;
/** Statuses that refuse a single file; others concern the whole upload. */
const refusalsOfFile = new Set([400, 409, 413]);

class UnreadableFile extends Error {}

/** Sends what the upload lacks: small files in groups, large ones in chunks, with several concurrent calls. */
export async function sendFiles(
  client: ServiceClient,
  upload: { datasetId: string; reqId: string; chunkSizeBytes: number; received: ReceivedChunks },
  files: readonly UploadedFile[],
  listener: SendingListener,
): Promise<void> {
  const { reqId, chunkSizeBytes, received } = upload;
  const base = [...datasetsParts, upload.datasetId, 'files', 'upload'];
  const failed = new Set<number>();

  function fail(file: UploadedFile, reason: string): void {
    if (failed.has(file.fileNo)) return;
    failed.add(file.fileNo);
    listener.onFailed(file, reason);
  }

  /** Yields groups of small files, then the chunks of large ones in order. */
  function* work(): Generator<UploadedFile[] | Chunk> {
    let group: UploadedFile[] = [];
    let groupBytes = 0;
    for (const file of files.filter((each) => each.sizeBytes <= smallBytes && !received.isComplete(each.fileNo))) {
      if (group.length === mostGroupFiles || groupBytes + file.sizeBytes > mostGroupBytes) {
        yield group;
        group = [];
        groupBytes = 0;
      }
      group.push(file);
      groupBytes += file.sizeBytes;
    }
    if (group.length > 0) yield group;
    for (const file of files.filter((each) => each.sizeBytes > smallBytes)) {
      const chunks = Math.ceil(file.sizeBytes / chunkSizeBytes);
      for (let chunkNo = 1; chunkNo <= chunks; chunkNo += 1)
        if (!received.has(file.fileNo, chunkNo)) yield { file, chunkNo, chunks };
    }
  }

  async function sendGroup(group: readonly UploadedFile[]): Promise<void> {
    const read: { file: UploadedFile; bytes: Buffer<ArrayBuffer> }[] = [];
    for (const file of group) {
      try {
        read.push({ file, bytes: await readPart(file, 0, file.sizeBytes) });
      } catch (error) {
        fail(file, reasonOfFile(error));
      }
    }
    if (read.length === 0) return;
    const form = (): FormData => {
      const data = new FormData();
      for (const { file, bytes } of read) {
        data.append('fileNo', String(file.fileNo));
        data.append('fileName', file.path);
        data.append('checkSumHex', checksumOf(bytes));
        data.append('file', new Blob([bytes]));
      }
      return data;
    };
    const answer = await client.call<{ files: FileOutcome[] }>('POST', apiPath([...base, reqId, 'files']), {
      body: { form },
      repeatable: true,
    });
    for (const outcome of answer.files) {
      const entry = read.find(({ file }) => file.fileNo === outcome.fileNo);
      if (entry === undefined) continue;
      if (outcome.error !== undefined) fail(entry.file, outcome.error.message);
      else listener.onBytes(entry.file.sizeBytes, entry.file);
    }
  }

  async function sendChunk({ file, chunkNo, chunks }: Chunk): Promise<void> {
    if (failed.has(file.fileNo)) return;
    const from = (chunkNo - 1) * chunkSizeBytes;
    try {
      const bytes = await readPart(file, from, Math.min(chunkSizeBytes, file.sizeBytes - from));
      const form = (): FormData => {
        const data = new FormData();
        const fields = { reqId, fileNo: file.fileNo, fileName: file.path, totalChunkNum: chunks, chunkNo };
        for (const [name, value] of Object.entries(fields)) data.append(name, String(value));
        data.append('checkSumHex', checksumOf(bytes));
        data.append('file', new Blob([bytes]));
        return data;
      };
      await client.call('POST', apiPath([...base, 'chunk']), { body: { form }, repeatable: true });
      listener.onBytes(bytes.length, file);
    } catch (error) {
      const isOfFile =
        error instanceof UnreadableFile || (error instanceof ServiceRefusal && refusalsOfFile.has(error.status));
      if (!isOfFile) throw error;
      fail(file, error.message);
    }
  }

  await forEachAtOnce(work(), atOnce, (item) => (Array.isArray(item) ? sendGroup(item) : sendChunk(item)));
}

/** Reads a part of a file; fails if the file has changed since it was found, as versions must not be mixed. */
async function readPart(file: UploadedFile, from: number, sizeBytes: number): Promise<Buffer<ArrayBuffer>> {
  try {
    const handle = await open(file.place, 'r');
    try {
      const bytes = Buffer.alloc(sizeBytes);
      let filled = 0;
      while (filled < sizeBytes) {
        const { bytesRead } = await handle.read(bytes, filled, sizeBytes - filled, from + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      const { size, mtimeMs } = await handle.stat();
      if (filled < sizeBytes || size !== file.sizeBytes || mtimeMs !== file.modifiedMs)
        throw new UnreadableFile('it changed while being sent');
      return bytes;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(fileProblem(error), { cause: error });
  }
}

const reasonOfFile = (error: unknown): string => {
  if (error instanceof UnreadableFile) return error.message;
  throw error;
};

const checksumOf = (bytes: Buffer): string => crc32(bytes).toString(16).padStart(8, '0');
