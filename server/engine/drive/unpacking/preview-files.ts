import { rm } from 'node:fs/promises';
import { capitalized, inputProblems } from '../../../kernel/sentences/index.ts';
import { compressionOf } from '../../../tables/compression/compressed-names.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import { contentPathOf } from '../../../tables/compression/compressed-names.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import type { InputFile } from '../job.ts';
import { type Piece, shardLimits, storedProblem } from '../../orders/shard.ts';
import { isUnpackable, type Unpacker } from './unpacker.ts';

/** Bytes that a preview reads of a table: its first rows. */
const tableHeadBytes = 8 << 20;

/**
 * Contents of compressed files that a preview reads: unpacked on demand, into files that last as long as the preview.
 */
export type PreviewFiles = {
  /** The paths of unpacked contents by file. */
  readonly paths: ReadonlyMap<string, string>;
  /** Compressed files that were read only in part, and therefore not verified. */
  readonly cutPaths: readonly string[];
  /** The input, with compressed files replaced by the beginning of their content. */
  unpackInputs(inputs: AsyncIterable<readonly InputFile[]>, signal: AbortSignal): AsyncGenerator<InputFile[]>;
  /** Provides the content of a run's piece again, as far as the piece needs it. */
  unpackPiece(piece: Piece, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

export function createPreviewFiles(unpacker: Unpacker): PreviewFiles {
  const paths = new Map<string, string>();
  const cutPaths: string[] = [];

  async function unpackHead(file: InputFile, signal: AbortSignal): Promise<InputFile> {
    const compression = compressionOf(file.path);
    if (compression === undefined || file.blobId === null) return file;
    const isTable = isRowFormat(formatOf(fileTypeOf(contentPathOf(file.path))));
    const maxBytes = isTable ? tableHeadBytes : shardLimits.maxDocumentBytes + 1;
    const { content, problem } = await unpacker.unpackHead(file, maxBytes, signal);
    if (content === undefined)
      return { ...file, ...storedProblem(problem ?? capitalized(inputProblems.NOT_UNPACKED.reason({}))) };
    paths.set(file.fileId, content.path);
    if (!content.isWhole) cutPaths.push(file.path);
    const cut = content.isWhole ? {} : { isCut: true as const };
    const packed = { compression, blobId: file.blobId, sizeBytes: file.sizeBytes, ...cut };
    return {
      ...file,
      sizeBytes: content.sizeBytes,
      packed: { ...packed, ...(problem === undefined ? {} : storedProblem(problem)) },
    };
  }

  return {
    paths,
    cutPaths,
    async *unpackInputs(inputs, signal) {
      for await (const slice of inputs) {
        for (const file of slice) {
          // Drawn tables were unpacked before.
          const isPacked = file.packed === undefined && isUnpackable(file);
          yield [isPacked ? await unpackHead(file, signal) : file];
        }
      }
    },
    async unpackPiece({ packed, fileId, path, range, sizeBytes }, signal) {
      if (packed === undefined) return;
      const file = { fileId, path, blobId: packed.blobId, sizeBytes: packed.sizeBytes };
      const { content } = await unpacker.unpackHead(file, range?.to ?? sizeBytes, signal);
      if (content !== undefined) paths.set(fileId, content.path);
    },
    async close() {
      for (const path of paths.values()) await rm(path, { force: true });
    },
  };
}
