import { createBackgroundTask } from '../../kernel/background-task.ts';
import { isoNow, type Clock } from '../../kernel/clock.ts';
import type { Runs } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { RagDisposalsTable } from '../../storage/database/tables/rag.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import type { RagDocuments } from './documents.ts';
import type { Following } from './following.ts';
import { ingestKind } from './ingest-run.ts';
import { deleteSomeChunks, deleteUnit, findUnitOfIndex } from './queries/chunks.ts';
import { listSomeDocuments } from './queries/documents.ts';
import { findKnowledgeBase } from './queries/knowledge-bases.ts';
import { deleteDisposal, listDisposals, lockDisposal } from './queries/rebuilds.ts';

/** Deletes unused indexes and the documents of deleted knowledge bases, in small steps that hold locks only briefly. */
export type Disposals = {
  start(): void;
  /** Begins now. */
  wake(): void;
  stop(): Promise<void>;
};

/** Interval at which vectors past their retention are looked for. */
const intervalMs = 3_600_000;
const chunksAtOnce = 2_000;
const documentsAtOnce = 50;

export function createDisposals({
  db,
  clock,
  blobs,
  vectors,
  runs,
  documents,
  following,
  logger,
}: {
  db: Database;
  clock: Clock;
  blobs: Pick<BlobStore, 'release'>;
  vectors: Pick<VectorStore, 'drop'>;
  runs: Pick<Runs, 'deleteRuns' | 'lockRuns'>;
  documents: Pick<RagDocuments, 'erase'>;
  following: Pick<Following, 'tellUnused'>;
  logger: { error(details: object, message: string): void };
}): Disposals {
  async function dispose(disposal: RagDisposalsTable, signal: AbortSignal): Promise<void> {
    const { index_id: indexId, knowledge_base_id: knowledgeBaseId } = disposal;
    await vectors.drop(indexId);
    following.tellUnused(indexId);
    const isKept = disposal.keep_until !== null && disposal.keep_until > isoNow(clock);
    if (isKept && (await findKnowledgeBase(db.read, knowledgeBaseId)) !== undefined) return;
    for (let isLeft = true; isLeft;) {
      signal.throwIfAborted();
      isLeft = await db.write(async (tx) => {
        // Another process may be disposing of it, too.
        if (!(await lockDisposal(tx, indexId))) return false;
        const unit = await findUnitOfIndex(tx, indexId);
        if (unit !== undefined) {
          const key = { knowledgeBaseId, unit };
          if ((await deleteSomeChunks(tx, key, chunksAtOnce)) === 0) await blobs.release(tx, await deleteUnit(tx, key));
          return true;
        }
        const isBaseGone = (await findKnowledgeBase(tx, knowledgeBaseId)) === undefined;
        const some = isBaseGone ? await listSomeDocuments(tx, knowledgeBaseId, documentsAtOnce) : [];
        await runs.lockRuns(
          tx,
          ingestKind,
          some.map(({ id }) => id),
        );
        for (const document of some) await blobs.release(tx, await documents.erase(tx, document));
        if (some.length > 0) return true;
        await runs.deleteRuns(tx, 'rag', indexId);
        await deleteDisposal(tx, indexId);
        return false;
      });
    }
  }

  return createBackgroundTask({
    everyMs: intervalMs,
    async work(signal) {
      for (const disposal of await listDisposals(db.read)) await dispose(disposal, signal);
    },
    onError: (error) =>
      logger.error({ err: error }, 'indexes that are no longer used could not be deleted; trying again until it works'),
  });
}
