import { fileTypeOf } from '../../../kernel/file-path.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import type { InputFile } from '../job.ts';
import { contentPathOf } from '../../../tables/compression/compressed-names.ts';
import { isUnpackable } from '../unpacking/unpacker.ts';
import { mediaTypeOf } from '../../orders/media-types.ts';
import { createLowest, type Ranked } from '../../orders/lowest.ts';
import { placeKey, priorityOf } from '../../orders/seeded-order.ts';

/** A file of the input with its number in path order. */
export type NumberedFile = { fileNo: number; file: InputFile };

/** One of the equal parts that a table is divided into; each row belongs to one of them. */
export type Block = NumberedFile & { block: number; of: number };

/** Blocks drawn at random from all blocks of some tables. */
export type BlockDraw = {
  blocks: number;
  sizeBytes: number;
  files: number;
  /** In random order; all blocks, unless there are more than can be drawn. */
  drawn: readonly Ranked<Block>[];
};

/** A draw over the files of an input, without reading them. */
export type InputDraw = {
  /** Tables of lines (JSON Lines, CSV, TSV). */
  tables: BlockDraw;
  /** Parquet files. */
  columns: BlockDraw;
  /** Compressed tables of lines; each is one block. */
  packed: BlockDraw;
  /** Files that are one sample each. */
  wholes: { total: number; drawn: readonly Ranked<NumberedFile>[] };
};

export type InputDrawOptions = {
  seed: number;
  /** Maximum number of files drawn as samples. */
  size: number;
  /** Size of a block: a row belongs to the block that contains its first byte. */
  blockBytes: number;
  /** Maximum number of blocks drawn. */
  maxBlocks: number;
  /** Whether a file that is one sample is part of the input; tables are filtered row by row. */
  hasDocuments: boolean;
  /** Whether the steps work on images, audio and video. */
  hasMedia: boolean;
};

const columnBlockBytes = 1 << 20;
/** Reading a block of a Parquet file means reading its whole row group. */
const maxColumnBlocks = 64;
const maxPackedFiles = 64;

/**
 * Iterates over the files once, in bounded memory, and draws blocks of tables and whole files. A file's random numbers
 * depend only on the seed, its path and its size.
 */
export async function drawInput(
  inputs: AsyncIterable<readonly InputFile[]>,
  { seed, size, blockBytes, maxBlocks, hasDocuments, hasMedia }: InputDrawOptions,
): Promise<InputDraw> {
  const tables = createBlockDraw(seed, blockBytes, maxBlocks);
  const columns = createBlockDraw(seed, columnBlockBytes, maxColumnBlocks);
  const packed = createBlockDraw(seed, Infinity, maxPackedFiles);
  const wholes = createLowest<NumberedFile>(size);
  let total = 0;
  let fileNo = -1;
  for await (const slice of inputs) {
    for (const file of slice) {
      fileNo += 1;
      const isPacked = isUnpackable(file);
      const format = formatOf(fileTypeOf(isPacked ? contentPathOf(file.path) : file.path));
      const isReadable = file.blobId !== null && file.problem === undefined;
      if (isReadable && isRowFormat(format)) (isPacked ? packed : tables).add({ fileNo, file });
      else if (isReadable && format === 'parquet') columns.add({ fileNo, file });
      else if (mediaTypeOf(file.path) !== undefined && !hasMedia) continue;
      else if (hasDocuments || !isReadable) {
        total += 1;
        wholes.add(priorityOf(placeKey(seed, file.path), 0, 0), { fileNo, file });
      }
    }
  }
  return {
    tables: tables.result(),
    columns: columns.result(),
    packed: packed.result(),
    wholes: { total, drawn: wholes.take() },
  };
}

function createBlockDraw(
  seed: number,
  bytes: number,
  most: number,
): { add(file: NumberedFile): void; result(): BlockDraw } {
  const lowest = createLowest<Block>(most);
  let blocks = 0;
  let sizeBytes = 0;
  let files = 0;
  return {
    add({ fileNo, file }) {
      const of = Math.max(1, Math.ceil(file.sizeBytes / bytes));
      const key = placeKey(seed, file.path);
      for (let block = 0; block < of; block += 1) {
        const priority = priorityOf(key, block, 0);
        if (priority < lowest.bound) lowest.add(priority, { fileNo, file, block, of });
      }
      blocks += of;
      sizeBytes += file.sizeBytes;
      files += 1;
    },
    result: () => ({ blocks, sizeBytes, files, drawn: lowest.take() }),
  };
}
