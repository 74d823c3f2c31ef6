import type { FileOperations } from '../files/file-operations.ts';
import type { ReceivedChunk } from '../queries/verification.ts';
import type { RangeProblem } from './range-check.ts';

/** What a check reads where blobs are objects, whose keys are the paths of the files below the folder. */
export type StoredObjects = {
  operations: FileOperations;
  /** Compares the parts of a chunk that can't be read until the whole is complete. */
  checkParts(chunk: ReceivedChunk): Promise<RangeProblem | undefined>;
};
