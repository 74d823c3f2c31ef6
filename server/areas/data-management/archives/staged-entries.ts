import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { deleteStagedEntriesTo, listStagedEntries, listStagingJobs } from '../queries/archives.ts';

/**
 * Bytes that are adopted before a file refers to them: the rows of a job hold the references, so that a crash leaks no space. A
 * job ends with its last row.
 */
export type StagedEntries = {
  begin(): string;
  /** Erases a job's rows and blobs in slices, and ends it; a failure leaves the rest as leftovers. */
  erase(jobId: string): Promise<void>;
  /** Ends a job whose rows were deleted in a transaction of its own. */
  end(jobId: string): void;
  /** Erases the rows of jobs that nobody works on any more, including earlier processes'; stops between slices on the signal. */
  eraseLeftovers(signal: AbortSignal): Promise<void>;
};

const slice = 2_000;

export function createStagedEntries({ db, blobs }: { db: Database; blobs: BlobStore }): StagedEntries {
  const live = new Set<string>();

  async function eraseRows(jobId: string, signal?: AbortSignal): Promise<void> {
    for (;;) {
      if (signal?.aborted === true) return;
      const entries = await listStagedEntries(db.scan, jobId, -1, slice);
      const last = entries.at(-1);
      if (last === undefined) return;
      await db.write(async (tx) => {
        await deleteStagedEntriesTo(tx, jobId, last.ordinal);
        await blobs.release(
          tx,
          entries.map((entry) => entry.blob_id),
        );
      });
    }
  }

  return {
    begin() {
      const jobId = newId();
      live.add(jobId);
      return jobId;
    },
    async erase(jobId) {
      try {
        await eraseRows(jobId);
      } finally {
        live.delete(jobId);
      }
    },
    end: (jobId) => void live.delete(jobId),
    async eraseLeftovers(signal) {
      for (const jobId of await listStagingJobs(db.scan)) if (!live.has(jobId)) await eraseRows(jobId, signal);
    },
  };
}
