import type { InputFile } from '../job.ts';
import type { Piece, Recipe } from '../../orders/shard.ts';
import type { PieceSources } from '../shards/piece-places.ts';
import type { PreviewFiles } from '../unpacking/preview-files.ts';
import type { ThreadPool } from '../pools/thread-pool.ts';
import type { DrawnRow } from '../../orders/draw-jobs.ts';
import type { Block, BlockDraw, NumberedFile } from './input-draw.ts';
import type { Ranked } from '../../orders/lowest.ts';

export type DrawDeps = Omit<PieceSources, 'unpacked'> & {
  pool: ThreadPool;
  /** Contents of compressed files; keep them open while the drawn pieces are used. */
  files: PreviewFiles;
  checkedBytes: number;
  sizes: DrawSizes;
};

export type DrawRequest = {
  recipe: Recipe;
  inputs: AsyncIterable<readonly InputFile[]>;
  size: number;
  seed: number;
  signal: AbortSignal;
};

export type DrawSizes = {
  /** Up to this size, tables are read whole, verified, and every sample has exactly the same probability. */
  wholeBytes: number;
  wholeFiles: number;
  blockBytes: number;
  /**
   * Numbers of blocks to read of larger input, in rounds: as many as it takes to find several times as many rows as are
   * drawn, so that few drawn rows are neighbours.
   */
  blockRounds: readonly number[];
};

/** A part of the input: its number of samples, and some drawn from it. */
export type Stratum = {
  /** Estimated, unless all of it was read. */
  total: number;
  from: number;
  isExact: boolean;
  pieces: readonly (NumberedFile & { piece: Piece; numbers?: { firstRow: number | null; firstLine: number | null } })[];
  rows: readonly Ranked<DrawnRow>[];
};

export type StratumOptions = Omit<DrawRequest, 'inputs'> & {
  isChecked: (file: InputFile, isWhole: boolean) => boolean;
  /** Whether steps need all columns of a row. */
  isWholeRow: boolean;
};

export async function* only<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield items;
}

export function filesOf(drawn: BlockDraw['drawn']): NumberedFile[] {
  const files = new Map(drawn.map(({ item: { fileNo, file } }) => [fileNo, { fileNo, file }]));
  return [...files.values()].toSorted((one, other) => one.fileNo - other.fileNo);
}

export function inOrder(blocks: readonly Block[]): Block[] {
  return blocks.toSorted((one, other) => one.fileNo - other.fileNo || one.block - other.block);
}
