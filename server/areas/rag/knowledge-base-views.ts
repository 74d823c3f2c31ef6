import { codedReason, reasonColumns, storedReason } from '../../kernel/sentences/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { KnowledgeBasesTable, RagRebuildsTable } from '../../storage/database/tables/rag.ts';
import type { Chunking } from '../../chunking/chunking.ts';
import { ragErrors } from './errors.ts';
import { findCurrentIndex, type RagIndex } from './queries/indexes.ts';
import { countDocuments, type DocumentCounts } from './queries/knowledge-bases.ts';
import { countRebuilt, listRebuilds, type RebuildCounts } from './queries/rebuilds.ts';
import type { Reconciliation } from './reconciliation.ts';
import { defaultWeights } from './search/fusion.ts';
import { waitsForSpace } from './sentences.ts';
import type { WaitingForSpace } from './space-wait.ts';
import type { KnowledgeBaseView } from './schemas/knowledge-bases.ts';

/** Knowledge bases as the API shows them. */
export type KnowledgeBaseViews = {
  show(rows: readonly KnowledgeBasesTable[]): Promise<KnowledgeBaseView[]>;
  /** Throws KNOWLEDGE_BASE_NOT_FOUND. */
  showOne(row: KnowledgeBasesTable): Promise<KnowledgeBaseView>;
};

export function createKnowledgeBaseViews({
  db,
  reconciliation,
  waitingForSpace,
}: {
  db: Database;
  reconciliation: Pick<Reconciliation, 'isMadeAgain'>;
  waitingForSpace: Pick<WaitingForSpace, 'has'>;
}): KnowledgeBaseViews {
  function withCause(rebuild: RagRebuildsTable): RagRebuildsTable {
    const isWaiting = rebuild.cause === null && waitingForSpace.has(rebuild.index_id);
    return isWaiting ? { ...rebuild, ...reasonColumns('cause', waitsForSpace) } : rebuild;
  }

  async function show(rows: readonly KnowledgeBasesTable[]): Promise<KnowledgeBaseView[]> {
    const ids = rows.map(({ id }) => id);
    const counts = await countDocuments(db.read, ids);
    const running = await listRebuilds(db.read, ids);
    const rebuilt = await countRebuilt(
      db.read,
      running.map((one) => one.knowledge_base_id),
    );
    const madeAgain = new Set<string>();
    const indexes = new Map<string, RagIndex>();
    for (const row of rows) {
      // Read after the rebuilds: if a rebuild has just ended, these are the settings it switched to.
      const index = await findCurrentIndex(db.read, row.id);
      if (index !== undefined) indexes.set(row.id, index);
      if (index !== undefined && (await reconciliation.isMadeAgain(index))) madeAgain.add(row.id);
    }
    return rows.map((row) => {
      const rebuild = running.find((one) => one.knowledge_base_id === row.id);
      return toKnowledgeBase(row, {
        index: indexes.get(row.id),
        counts: counts.filter(({ knowledgeBaseId }) => knowledgeBaseId === row.id),
        rebuild: rebuild === undefined ? undefined : withCause(rebuild),
        rebuilt: rebuilt.find(({ knowledgeBaseId }) => knowledgeBaseId === row.id),
        isMadeAgain: madeAgain.has(row.id),
      });
    });
  }

  async function showOne(row: KnowledgeBasesTable): Promise<KnowledgeBaseView> {
    const [view] = await show([row]);
    if (view === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: row.id });
    return view;
  }

  return { show, showOne };
}

type KnowledgeBaseState = {
  index: RagIndex | undefined;
  counts: readonly DocumentCounts[];
  rebuild: RagRebuildsTable | undefined;
  rebuilt: RebuildCounts | undefined;
  isMadeAgain: boolean;
};

function toKnowledgeBase(
  row: KnowledgeBasesTable,
  { index, counts, rebuild, rebuilt, isMadeAgain }: KnowledgeBaseState,
): KnowledgeBaseView {
  const embeddingModel = index?.embeddingModel ?? row.embedding_model;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    embeddingModel,
    chunking: JSON.parse(index?.chunking ?? row.chunking) as Chunking & { separators?: string[] },
    status: rebuild?.status === 'BUILDING' || isMadeAgain ? 'BUILDING' : 'READY',
    rebuild: rebuild === undefined ? null : toRebuild(rebuild, rebuilt),
    documentCount: counts.reduce((sum, { documents }) => sum + documents, 0),
    chunkCount: counts.reduce((sum, { chunks }) => sum + chunks, 0),
    documentsByStatus: Object.fromEntries(counts.map(({ status, documents }) => [status, documents])),
    hybridWeights: defaultWeights(embeddingModel),
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
  };
}

function toRebuild(row: RagRebuildsTable, counts: RebuildCounts | undefined): KnowledgeBaseView['rebuild'] {
  return {
    embeddingModel: row.embedding_model,
    chunking: JSON.parse(row.chunking) as Chunking & { separators?: string[] },
    switch: row.switch,
    status: row.status,
    documents: { done: counts?.done ?? 0, total: counts?.total ?? 0, failed: counts?.failed ?? 0 },
    chunkCount: counts?.chunks ?? 0,
    startedAt: row.started_at,
    ...codedReason('cause', storedReason('cause', row)),
  };
}
