import type { Tx } from '../storage/database/database.ts';
import type { RecipeRun } from './recipe-run.ts';

/** A file that a run is to read. */
export type InputFile = {
  fileId: string;
  path: string;
  sizeBytes: number;
  blobId: string | null;
  /** Why it can't be read, where that is known: it is counted as one failed sample. */
  problem?: string;
};

/** A file of the result; its blob carries one reference, which goes over to whoever takes the file. */
export type OutputFile = { path: string; sizeBytes: number; blobId: string };

/** What an area gives the engine for its runs. */
export type Job = {
  /** The run's input in path order, the same whenever it is asked for. */
  inputs(run: RecipeRun): AsyncIterable<readonly InputFile[]>;
  /**
   * Puts the whole result where it belongs, in the transaction that completes the run. Each output's reference is the
   * area's from here on. An error fails the run with its message, and nothing is written.
   */
  commit(
    tx: Tx,
    run: RecipeRun,
    outputs: AsyncIterable<readonly OutputFile[]>,
  ): Promise<{ datasetId: string; version: number }>;
};
