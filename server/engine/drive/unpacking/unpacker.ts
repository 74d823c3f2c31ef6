import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { isDocumentType } from '../../../documents/index.ts';
import { fileNameOf, fileTypeOf } from '../../../kernel/file-path.ts';
import { newId } from '../../../kernel/ids.ts';
import type { BlobPath, BlobBytes, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import { compressionOf, contentPathOf, type Compression } from '../../../tables/compression/compressed-names.ts';
import { CompressedDataProblem, type UnpackLimits } from '../../../tables/compression/unpack-gauge.ts';
import { unpack } from '../../../tables/compression/unpacking.ts';
import { describeUnread, formatOf, isRowFormat } from '../../../tables/formats.ts';
import type { InputFile } from '../job.ts';
import { describeDamage } from '../../orders/stored-bytes.ts';
import { stageFile } from '../shards/staged-file.ts';
import type { ThreadPool } from '../pools/thread-pool.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import type { Unpacked } from '../../orders/unpack-jobs.ts';

/** The beginning of a file's content as a separate file. */
export type UnpackedHead = { path: string; sizeBytes: number; isWhole: boolean };

/** Unpacks compressed files in bounded memory: gzip and Zstandard by the runtime, bzip2 and Arrow in a worker. */
export type Unpacker = {
  /** Writes the content into a temporary blob; `pool` does the work of a worker instead of its own. */
  unpack(file: InputFile, signal: AbortSignal, pool?: ThreadPool): Promise<Unpacked<StagedBlob>>;
  /**
   * Writes at least the first `maxBytes` of the content, or all of a shorter one, to a scratch file, which the caller
   * deletes.
   */
  unpackHead(file: InputFile, maxBytes: number, signal: AbortSignal): Promise<Unpacked<UnpackedHead>>;
};

export type UnpackerOptions = { blobs: BlobBytes; pool: ThreadPool; scratchDirectory: string; limits: UnpackLimits };

/** Whether a file is compressed and its content can be read. */
export function isUnpackable({ path, blobId, problem }: Pick<InputFile, 'path' | 'blobId' | 'problem'>): boolean {
  if (compressionOf(path) === undefined || blobId === null || problem !== undefined) return false;
  const fileType = fileTypeOf(contentPathOf(path));
  const format = formatOf(fileType);
  // Parquet compresses its own columns, and a compressed archive is an archive.
  return isDocumentType(fileType) || (format !== 'unsupported' && format !== 'parquet');
}

/** Why a file's format is not supported, if its extension shows it. */
export function findUnread(file: Pick<InputFile, 'path' | 'blobId' | 'problem'>): Reason | undefined {
  const fileType = fileTypeOf(file.path);
  if (isUnpackable(file) || isDocumentType(fileType)) return undefined;
  const isCompressed = compressionOf(file.path) !== undefined;
  return isCompressed || formatOf(fileType) === 'unsupported' ? describeUnread(file.path) : undefined;
}

export function createUnpacker({ blobs, pool, scratchDirectory, limits }: UnpackerOptions): Unpacker {
  async function scratchPath(): Promise<string> {
    await mkdir(scratchDirectory, { recursive: true });
    return join(scratchDirectory, `${newId()}-unpacked`);
  }

  async function unpackInWorker(
    { path, blobId, sizeBytes }: InputFile & { blobId: string },
    compression: 'bzip2' | 'arrow',
    target: { path: string; maxBytes: number | null },
    signal: AbortSignal,
    worker: ThreadPool = pool,
  ): Promise<Unpacked<number>> {
    let place: BlobPath | undefined;
    try {
      place = await blobs.localPath(blobId);
      const { crc32 } = place;
      const stored = { path: place.path, offset: place.offset };
      const job = { compression, place: stored, sizeBytes, crc32, limits, output: target };
      const { isIntact, writtenBytes, problem } = await worker.run('unpack', job, signal);
      if (!isIntact) return damaged(path, sizeBytes);
      return settle(path, { content: writtenBytes, writtenBytes, problem });
    } catch (error) {
      if (error instanceof WorkerLost) return lostUnpacking(path, error);
      throw error;
    } finally {
      await place?.release();
    }
  }

  async function toBlob(file: InputFile & { blobId: string }, compression: 'gzip' | 'zstd', signal: AbortSignal) {
    const writer = blobs.create({ isTemporary: true });
    let writtenBytes = 0;
    let problem: CompressedDataProblem | undefined;
    try {
      try {
        for await (const bytes of unpack(bytesOf(blobs, file.blobId), compression, limits)) {
          signal.throwIfAborted();
          writtenBytes += bytes.length;
          await writer.write(bytes);
        }
      } catch (error) {
        if (!(error instanceof CompressedDataProblem)) throw error;
        problem = error;
      }
      const found = settle(file.path, { content: undefined, writtenBytes, problem });
      if (!found.hasContent) {
        await writer.abort();
        return found;
      }
      return { ...found, content: await writer.finish() };
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  async function headToFile(
    file: InputFile & { blobId: string },
    compression: 'gzip' | 'zstd',
    { path, maxBytes }: { path: string; maxBytes: number },
    signal: AbortSignal,
  ): Promise<Unpacked<number>> {
    let writtenBytes = 0;
    let problem: CompressedDataProblem | undefined;
    async function* head(): AsyncGenerator<Uint8Array> {
      try {
        for await (const bytes of unpack(bytesOf(blobs, file.blobId), compression, limits)) {
          writtenBytes += bytes.length;
          yield bytes;
          if (writtenBytes >= maxBytes) return;
        }
      } catch (error) {
        if (!(error instanceof CompressedDataProblem)) throw error;
        problem = error;
      }
    }
    await writeFile(path, head(), { signal });
    return settle(file.path, { content: writtenBytes, writtenBytes, problem });
  }

  /** Translates missing and damaged bytes of the store. */
  async function guarded<T>({ path, sizeBytes }: InputFile, work: () => Promise<Unpacked<T>>): Promise<Unpacked<T>> {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'BLOB_MISSING') {
        return { content: undefined, problem: inputProblems.CONTENT_ERASED.reason({}), isDamaged: true };
      }
      if (code === 'BLOB_DAMAGED') return damaged(path, sizeBytes);
      throw error;
    }
  }

  return {
    unpack: (file, signal, worker) =>
      guarded(file, async (): Promise<Unpacked<StagedBlob>> => {
        const known = withContent(file);
        const compression = getCompression(file);
        if (compression === 'gzip' || compression === 'zstd') return toBlob(known, compression, signal);
        const path = await scratchPath();
        try {
          const found = await unpackInWorker(known, compression, { path, maxBytes: null }, signal, worker);
          if (found.content === undefined) return { ...found, content: undefined };
          return { ...found, content: await stageFile(blobs, path, signal, { isTemporary: true }) };
        } finally {
          await rm(path, { force: true });
        }
      }),
    unpackHead: (file, maxBytes, signal) =>
      guarded(file, async (): Promise<Unpacked<UnpackedHead>> => {
        const known = withContent(file);
        const compression = getCompression(file);
        const path = await scratchPath();
        let isUsed = false;
        try {
          const found =
            compression === 'gzip' || compression === 'zstd'
              ? await headToFile(known, compression, { path, maxBytes }, signal)
              : await unpackInWorker(known, compression, { path, maxBytes }, signal);
          if (found.content === undefined) return { ...found, content: undefined };
          isUsed = true;
          const { size } = await stat(path);
          return { ...found, content: { path, sizeBytes: size, isWhole: size < maxBytes } };
        } finally {
          if (!isUsed) await rm(path, { force: true });
        }
      }),
  };
}

async function* bytesOf(blobs: BlobBytes, blobId: string): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of blobs.readAll([blobId])) yield bytes;
}

function withContent(file: InputFile): InputFile & { blobId: string } {
  if (file.blobId === null) throw new Error(`${file.path} has no content`);
  return { ...file, blobId: file.blobId };
}

function getCompression({ path }: InputFile): Compression {
  const compression = compressionOf(path);
  if (compression === undefined) throw new Error(`${path} is not compressed`);
  return compression;
}

/** Decides whether the content before a problem is used: only if its rows can be told apart from the truncated one. */
function settle<T>(
  path: string,
  found: { content: T; writtenBytes: number; problem: { reason: Reason; keepsBefore: boolean } | undefined },
): Unpacked<T> & { hasContent: boolean } {
  const { content, writtenBytes, problem } = found;
  if (problem === undefined) return { content, problem: undefined, isDamaged: false, hasContent: true };
  const isTable = isRowFormat(formatOf(fileTypeOf(contentPathOf(path))));
  if (isTable && problem.keepsBefore && writtenBytes > 0) {
    const why = inputProblems.ROWS_BEFORE_READ.reason({ why: problem.reason, bytes: writtenBytes });
    return { content, problem: about(path, why), isDamaged: false, hasContent: true };
  }
  return { ...failed<T>(path, problem.reason), hasContent: false };
}

/** The result for a file whose unpacking crashed a worker. */
export function lostUnpacking<T>(path: string, { reason: why }: WorkerLost): Unpacked<T> {
  return failed(path, inputProblems.NOT_UNPACKED_BECAUSE.reason({ why }));
}

function failed<T>(path: string, why: Reason): Unpacked<T> {
  return { content: undefined, problem: about(path, why), isDamaged: false };
}

function about(path: string, why: Reason): Reason {
  const problem =
    compressionOf(path) === 'arrow' ? inputProblems.UNSUPPORTED_BECAUSE : inputProblems.UNREADABLE_COMPRESSION;
  return problem.reason({ file: fileNameOf(path), why });
}

function damaged<T>(path: string, sizeBytes: number): Unpacked<T> {
  return { content: undefined, problem: describeDamage(path, { from: 0, to: sizeBytes }), isDamaged: true };
}
