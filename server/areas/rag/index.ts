import type { Area } from '../../area.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Documents } from '../../documents/index.ts';
import type { Models } from '../../models/index.ts';
import type { Runs, ServiceLogger } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Signals } from '../../storage/database/signals.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { createAnswers } from './answers.ts';
import { createChunkingPreviews } from './chunking-preview.ts';
import type { ChunkingThread } from '../../chunking/chunking-thread.ts';
import { createRagDocuments } from './documents.ts';
import { createEvaluation } from './evaluation.ts';
import { createDocumentIntake } from './document-intake.ts';
import { createDocumentTexts } from './document-texts.ts';
import { createDisposals } from './disposals.ts';
import { createFileErasure } from './file-erasure.ts';
import { createFollowing, noFollowing } from './following.ts';
import { createIndexCopies } from './index-copies.ts';
import { createIngestKind } from './ingest-run.ts';
import { createKnowledgeBases } from './knowledge-bases.ts';
import { findKnowledgeBaseName, listHeldVersions, listIndexedVersions } from './indexed-versions.ts';
import { createRagRunNames } from './run-names.ts';
import { createReconciliation } from './reconciliation.ts';
import { createReadingLanes } from './reading-lanes.ts';
import { createRebuildKind } from './rebuild-run.ts';
import { createRebuilds } from './rebuilds.ts';
import { ragRoutes } from './routes.ts';
import { createSearchTogether } from './search/search-together.ts';
import { createSearch } from './search/search.ts';
import type { WaitingForSpace } from './space-wait.ts';
import { createUnitCopying } from './unit-copying.ts';
import type { IngestServices, RagDocumentLimits } from './ingest.ts';

export { createRagVerification, type BlobDocument, type RagFinding } from './verification.ts';

/** The area of knowledge bases (RAG). */
export function createRag({
  db,
  clock,
  blobs,
  documents: readers,
  chunking,
  models,
  runs,
  vectors,
  datasets,
  limits,
  measureSpace,
  signals,
  onIndexesWhole,
  logger,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  documents: Documents;
  chunking: ChunkingThread;
  models: Pick<Models, 'chat' | 'embed' | 'rerank' | 'registry'>;
  runs: Runs;
  vectors: VectorStore;
  datasets: DatasetAccess;
  limits: RagDocumentLimits & {
    /** Days that paid vectors outlive their index; 0: forever. */
    keptDays: number;
  };
  measureSpace: IngestServices['measureSpace'];
  /** Hints between the processes that share the database. */
  signals: Signals;
  /** Called once, when all indexes have been compared with the database and completed. */
  onIndexesWhole?: () => Promise<void>;
  logger: ServiceLogger & { info(details: object, message: string): void };
}): Area {
  const isFollowing = blobs.shared !== undefined && db.dialect === 'postgres';
  const copies = createIndexCopies();
  const copying = createUnitCopying({ db, blobs, models });
  const reconciliation = createReconciliation({
    db,
    vectors,
    copies,
    copying,
    isFollowing,
    onWhole: onIndexesWhole,
    logger,
  });
  const following = isFollowing
    ? createFollowing({ db, vectors, copies, copying, reconciliation, signals, logger })
    : noFollowing;
  const waitingForSpace: WaitingForSpace = new Set();
  const documents = createRagDocuments({ db, blobs, runs, vectors, reconciliation, waitingForSpace });
  const intake = createDocumentIntake({ db, clock, blobs, runs, datasets, limits });
  const texts = createDocumentTexts({ blobs, documents });
  const disposals = createDisposals({ db, clock, blobs, vectors, runs, documents, following, logger });
  const rebuilds = createRebuilds({ db, clock, runs, keptDays: limits.keptDays, onDisposal: disposals.wake });
  const building = { db, blobs, models, vectors, reconciliation, chunking, lanes: createReadingLanes() };
  const space = { measureSpace, waitingForSpace };
  const ingest = {
    clock,
    limits,
    ...space,
    following,
    documents: readers,
    rebuildMore: rebuilds.more,
    wake: runs.wake,
  };
  runs.register(createIngestKind({ ...building, ...ingest }));
  runs.register(
    createRebuildKind({ ...building, ...space, following, switchTo: rebuilds.switchTo, onSwitched: disposals.wake }),
  );
  const knowledgeBases = createKnowledgeBases({ db, clock, models, rebuilds, reconciliation, waitingForSpace });
  const search = createSearch({ db, models, vectors, reconciliation, following });
  const searchTogether = createSearchTogether({ db, search });
  const previews = createChunkingPreviews({ db, blobs, chunking });
  const answers = createAnswers({ models, search });
  const evaluation = createEvaluation({ db, models, search });
  return {
    prefix: '/rag',
    envelope: true,
    routes: ragRoutes({
      knowledgeBases,
      rebuilds,
      documents,
      intake,
      texts,
      search,
      searchTogether,
      previews,
      answers,
      evaluation,
      limits: {
        documents: limits.maxDocuments,
        documentBytes: limits.maxBytes,
        documentCharacters: limits.maxCharacters,
      },
    }),
    runNames: createRagRunNames(db),
    // Knowledge bases that hold documents of dataset versions.
    lineageSources: [{ listIndexed: listIndexedVersions, listHeld: listHeldVersions, findKnowledgeBaseName }],
    // Erases documents together with the files they were made from.
    contentHolders: [createFileErasure({ db, blobs, documents, vectors, following })],
    start() {
      reconciliation.start();
      following.start();
      disposals.start();
    },
    async stop() {
      await disposals.stop();
      await following.stop();
      await reconciliation.stop();
    },
  };
}
