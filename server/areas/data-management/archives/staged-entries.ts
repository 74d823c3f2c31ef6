import { causesOfDelay } from '../../../kernel/sentences/index.ts';
import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { newId } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { Nodes } from '../../../nodes/index.ts';
import { deleteStagedEntriesTo, listNodeIds, listStagedEntries, listStagingJobs } from '../queries/archives.ts';

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
  /** Erases the rows of abandoned jobs, including those of dead nodes; stops between slices on the signal. */
  eraseLeftovers(signal: AbortSignal): Promise<void>;
};

const slice = 2_000;

/** Another node declared this one dead and erased the job's staged entries. */
export class LostEntriesError extends ReasonedError {
  override readonly name = 'LostEntriesError';

  constructor() {
    super(causesOfDelay.ENTRIES_ERASED.reason({}));
  }
}

/** Follows the node id at the start of a job id. */
const separator = '.';

export function createStagedEntries({
  db,
  blobs,
  nodes,
}: {
  db: Database;
  blobs: BlobStore;
  nodes: Pick<Nodes, 'id'>;
}): StagedEntries {
  const live = new Set<string>();

  async function eraseRows(jobId: string, signal?: AbortSignal): Promise<void> {
    for (;;) {
      if (signal?.aborted === true) return;
      const entries = await listStagedEntries(db.scan, jobId, -1, slice);
      const last = entries.at(-1);
      if (last === undefined) return;
      await db.write(async (tx) => {
        // Release only what this transaction has deleted: another one may have committed the entries meanwhile.
        await blobs.release(tx, await deleteStagedEntriesTo(tx, jobId, last.ordinal));
      });
    }
  }

  return {
    begin() {
      const jobId = `${nodes.id}${separator}${newId()}`;
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
      // Read the nodes after the jobs, so that every node that has begun one is listed.
      const jobs = await listStagingJobs(db.scan);
      const others = new Set((await listNodeIds(db.read)).filter((id) => id !== nodes.id));
      for (const jobId of jobs)
        if (!live.has(jobId) && !others.has(jobId.split(separator)[0] ?? '')) await eraseRows(jobId, signal);
    },
  };
}
