import type { TableLayout } from '../../tables/table-layout.ts';
import type { Recipe, PlacedPiece, ShardLimits } from './shard.ts';

/** Request to draw rows of tables at random. */
export type DrawJob = {
  recipe: Recipe;
  /** Ascending by file and position. */
  pieces: readonly PlacedPiece[];
  limits: ShardLimits;
  seed: number;
  size: number;
};

/** A drawn row: its piece, and its number within the piece, from 0, as returned by `drawnNumberOf`. */
export type DrawnRow = { piece: number; row: number };

/** What a draw found out about a piece. */
export type ReadPiece = {
  layout?: TableLayout;
  /** Byte range of the piece's whole rows, if its original range cut through rows. */
  range?: { from: number; to: number };
  problem?: string;
  /** Number of its first row within its file, from 0; null if the rows before it were not counted. */
  firstRow: number | null;
  firstLine: number | null;
};

/** `from`: number of samples in the pieces. */
export type DrawResult = {
  from: number;
  rows: { priority: number; item: DrawnRow }[];
  pieces: ReadPiece[];
};
