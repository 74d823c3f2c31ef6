import type { Clock } from '../../kernel/clock.ts';
import type { Documents } from '../../documents/index.ts';
import type { Models } from '../../models/index.ts';
import type { Runs, ServiceLogger } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { createAnswers } from './answers.ts';
import { createChunkingPreviews } from './chunking-preview.ts';
import { createChunkingThread } from '../../chunking/chunking-thread.ts';
import { createRagDocuments, type RagDocuments } from './documents.ts';
import { createEvaluation } from './evaluation.ts';
import { createIngestKind } from './ingest-run.ts';
import { createKnowledgeBases, type KnowledgeBases } from './knowledge-bases.ts';
import { createReconciliation, type Reconciliation } from './reconciliation.ts';
import { ragRoutes } from './routes.ts';
import { createSearch, type Search } from './search/search.ts';

export type Rag = {
  routes: ReturnType<typeof ragRoutes>;
  knowledgeBases: KnowledgeBases;
  documents: RagDocuments;
  search: Search;
  reconciliation: Reconciliation;
  stop(): Promise<void>;
};

/** The area of knowledge bases. */
export function createRag({
  db,
  clock,
  blobs,
  documents: readers,
  models,
  runs,
  vectors,
  dataManagement: { access: datasets },
  logger,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  documents: Documents;
  models: Pick<Models, 'chat' | 'embed' | 'registry'>;
  runs: Runs;
  vectors: VectorStore;
  dataManagement: { access: DatasetAccess };
  logger: ServiceLogger & { info(details: object, message: string): void };
}): Rag {
  const chunking = createChunkingThread();
  runs.register(createIngestKind({ db, clock, blobs, documents: readers, models, vectors, chunking }));
  const documents = createRagDocuments({ db, clock, blobs, runs, vectors, datasets });
  const knowledgeBases = createKnowledgeBases({ db, clock, blobs, models, vectors, documents });
  const search = createSearch({ db, models, vectors });
  const previews = createChunkingPreviews({ db, blobs, chunking });
  const answers = createAnswers({ models, search });
  const evaluation = createEvaluation({ db, models, search });
  const reconciliation = createReconciliation({ db, blobs, models, vectors, logger });
  return {
    routes: ragRoutes({ knowledgeBases, documents, search, previews, answers, evaluation }),
    knowledgeBases,
    documents,
    search,
    reconciliation,
    async stop() {
      await reconciliation.stop();
      await chunking.close();
    },
  };
}
