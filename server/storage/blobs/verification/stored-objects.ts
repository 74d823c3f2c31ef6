import type { FileOperations } from '../files/file-operations.ts';
import type { ReceivedChunk } from '../queries/verification.ts';
import type { RangeProblem } from './range-check.ts';

/** Reads for a check of an object store, where keys are the file paths below the folder. */
export type StoredObjects = {
  operations: FileOperations;
  /** Compares the parts of a chunk, which can't be read until the whole is complete. */
  checkParts(chunk: ReceivedChunk): Promise<RangeProblem | undefined>;
};
