import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { listStrandedAssemblies } from '../queries/uploads.ts';

const batch = 500;

/**
 * Erases assemblies for which a crash prevented the row of their upload file. Ids ascend with time, so assemblies of this
 * process, whose file rows may be about to come, are recognised by their id.
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
