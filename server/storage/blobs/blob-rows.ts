import type { Db } from '../database/database.ts';
import { findBlob, findBlobs, type BlobRow } from './queries/blobs.ts';

/** Where blobs are: rows of the database, or what a process without one was told. */
export type BlobRows = {
  find(blobId: string): Promise<BlobRow | undefined>;
  /** Those that are known, in any order. */
  findAll(blobIds: readonly string[]): Promise<BlobRow[]>;
};

export function storedRows(db: Db): BlobRows {
  return { find: (blobId) => findBlob(db, blobId), findAll: (blobIds) => findBlobs(db, blobIds) };
}
