import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { listStrandedAssemblies } from '../queries/uploads.ts';

const batch = 500;
/** Rows of upload files follow their assemblies within moments, on other nodes too: an hour is ample. */
const youngMs = 3_600_000;

/**
 * Erases assemblies whose upload-file row a crash prevented. Ids ascend with time, so an id shows which assemblies may still get
 * their row: those of this process, and young ones if others share the database.
 */
export function createStrandedAssemblies({ db, blobs }: { db: Database; blobs: BlobStore }): {
  erase(signal: AbortSignal): Promise<void>;
} {
  const beginningId = db.dialect === 'postgres' ? idOfTime(Date.now() - youngMs) : newId();
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

/** The lowest id (UUIDv7) of a time: all ids made from then on come after it. */
function idOfTime(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}
