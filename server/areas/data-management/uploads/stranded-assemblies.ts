import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { listStrandedAssemblies } from '../queries/uploads.ts';

const batch = 500;

/**
 * Erases assemblies that a crash has left between their own row and that of the file that was to gather in them. Ids ascend
 * with time, so those of this process, whose files may be about to come, are told by theirs.
 */
export function createStrandedAssemblies({ db, blobs }: { db: Database; blobs: BlobStore }): {
  erase(signal: AbortSignal): Promise<void>;
} {
  const beginningId = newId();
  return {
    async erase(signal) {
      while (!signal.aborted) {
        const ids = await listStrandedAssemblies(db.scan, beginningId, batch);
        await blobs.dropAssemblies(ids);
        if (ids.length < batch) return;
      }
    },
  };
}
