import type { Db } from '../database/database.ts';
import { findBlob, findBlobs, type BlobRow } from './queries/blobs.ts';

/** Locations of blobs: rows of the database, or what a process without one was sent. */
export type BlobRows = {
  find(blobId: string): Promise<BlobRow | undefined>;
  /** Rows of the known ids, in any order. */
  findAll(blobIds: readonly string[]): Promise<BlobRow[]>;
};

export function storedRows(db: Db): BlobRows {
  return { find: (blobId) => findBlob(db, blobId), findAll: (blobIds) => findBlobs(db, blobIds) };
}
