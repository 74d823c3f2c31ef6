import type { DatasetReference } from '../../operators/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import type { Packed } from '../orders/shard.ts';
import type { RecipeRun } from './recipe-run.ts';

/** An input file of a run. */
export type InputFile = {
  fileId: string;
  path: string;
  sizeBytes: number;
  blobId: string | null;
  /** Why it can not be read, if known: it counts as one failed sample. */
  problem?: string;
  /** Its dataset, in a run that reads several. */
  source?: string;
  /** Set if `blobId` and `sizeBytes` are those of its unpacked content. */
  packed?: Packed;
};

/** A file of the result; its blob has one reference, which the receiver takes over. */
export type OutputFile = { path: string; sizeBytes: number; blobId: string };

/** A dataset that a step compares with: its display name, and its files in path order, always the same. */
export type ReferenceSource = { name: string; files: AsyncIterable<readonly InputFile[]> };

/** Opens a dataset that a step names. Throws RunFailure if it doesn't exist. */
export type OpenReference = (reference: DatasetReference) => Promise<ReferenceSource>;

/** What an area provides to the engine for its runs. */
export type Job = {
  /** The input of the run in path order, always the same. */
  inputs(run: RecipeRun): AsyncIterable<readonly InputFile[]>;
  /** Paths of input files erased from all versions since the run began; `inputs` no longer has them. */
  purged?(run: RecipeRun): AsyncIterable<readonly string[]>;
  /** The dataset that the lineage lists first, for a run that reads several. */
  mainSource?(run: RecipeRun): string;
  /** Opens a dataset that a step of a run compares with; the run names its version. */
  reference: OpenReference;
  /**
   * Commits the result in the transaction that completes the run, and takes over the reference of each output. If it
   * throws, the run fails with the error's message, and nothing is written.
   */
  commit(
    tx: Tx,
    run: RecipeRun,
    outputs: AsyncIterable<readonly OutputFile[]>,
  ): Promise<{ datasetId: string; version: number }>;
};
