import type { BlobReader, BlobStore, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { insertStagedEntries } from '../queries/archives.ts';
import type { StagedEntries } from './staged-entries.ts';

/** Bytes of a request that are kept until their target is known. */
export type Spool = { reader: BlobReader; release(): Promise<void> };

/** Makes staged bytes readable until `release()`; what a crash leaves is erased at the next start. */
export type Spools = { open(staged: StagedBlob): Promise<Spool> };

export function createSpools({
  db,
  blobs,
  stagedEntries,
}: {
  db: Database;
  blobs: BlobStore;
  stagedEntries: StagedEntries;
}): Spools {
  return {
    async open(staged) {
      const jobId = stagedEntries.begin();
      const entry = {
        job_id: jobId,
        ordinal: 0,
        path: '',
        original_name: '',
        size_bytes: staged.sizeBytes,
        blob_id: staged.id,
      };
      try {
        await blobs.flush();
        await db.write(async (tx) => {
          await blobs.adopt(tx, [staged]);
          await insertStagedEntries(tx, [entry]);
        });
      } finally {
        await blobs.settle([staged]);
      }
      try {
        const reader = await blobs.open(staged.id);
        return {
          reader,
          async release() {
            await reader.close();
            await stagedEntries.erase(jobId);
          },
        };
      } catch (error) {
        await stagedEntries.erase(jobId);
        throw error;
      }
    },
  };
}
