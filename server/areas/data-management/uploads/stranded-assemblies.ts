import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { listStrandedAssemblies } from '../queries/uploads.ts';

const batch = 500;
/** Rows of upload files follow their assemblies within moments, on other nodes too. */
const youngMs = 3_600_000;

/**
 * Erases assemblies for which a crash prevented the row of their upload file. Ids ascend with time, so assemblies whose file rows may be about to
 * come are recognised by their id: those of this process, and young ones if others share the database.
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

/** An id (UUIDv7) before all that are made at this time or later. */
function idOfTime(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
}
