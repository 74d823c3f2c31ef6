import { isoNow, type Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { reasonColumns } from '../../kernel/sentences/index.ts';
import type { Runs } from '../../runs/index.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { KnowledgeBasesTable, RagDisposalsTable, RagRebuildsTable } from '../../storage/database/tables/rag.ts';
import { ragErrors } from './errors.ts';
import { lockKnowledgeBase, updateKnowledgeBase } from './queries/knowledge-bases.ts';
import {
  deleteRebuild,
  findRebuild,
  forgetFailures,
  forgetRebuilt,
  insertDisposal,
  insertRebuild,
  listDocumentsToRebuild,
  updateRebuild,
  useRebuilt,
} from './queries/rebuilds.ts';
import { rebuildKind } from './rebuild-run.ts';
import { isFree } from './building.ts';

/** The settings that an index is made with; the chunking as JSON. */
export type IndexSettings = { embeddingModel: string; chunking: string };

/** Indexes with other settings, built beside those in use. */
export type Rebuilds = {
  /**
   * Begins a rebuild for a locked knowledge base. A rebuild with the same settings continues and retries its failed
   * documents; one with other settings is cancelled. Call `wake` after the commit.
   */
  begin(
    tx: Tx,
    base: KnowledgeBasesTable,
    wanted: IndexSettings & { switch: RagRebuildsTable['switch']; by: string },
  ): Promise<void>;
  /** Cancels the rebuild of a locked knowledge base, if there is one. */
  end(tx: Tx, base: KnowledgeBasesTable): Promise<void>;
  /** Lets a completed rebuild continue with documents that became searchable. */
  more(tx: Tx, knowledgeBaseId: string): Promise<void>;
  /** Makes searches use the new index. */
  switchTo(tx: Tx, knowledgeBaseId: string): Promise<void>;
  wake(): void;
  /** Throws REBUILD_NOT_READY and REBUILD_NOT_FOUND. */
  switchNow(knowledgeBaseId: string): Promise<void>;
  /** Throws REBUILD_NOT_FOUND. */
  giveUp(knowledgeBaseId: string): Promise<void>;
};

const dayMs = 86_400_000;
const forGood = '9999';

export function createRebuilds({
  db,
  clock,
  runs,
  keptDays,
  onDisposal,
}: {
  db: Database;
  clock: Clock;
  runs: Pick<Runs, 'enqueue' | 'wake'>;
  /** Days that paid vectors outlive their index; 0: forever. */
  keptDays: number;
  /** Called when there is an index to dispose of. */
  onDisposal(): void;
}): Rebuilds {
  async function queue(tx: Tx, indexId: string, by: string): Promise<void> {
    await runs.enqueue(tx, { area: 'rag', kind: rebuildKind, taskId: indexId, by, details: {}, datasets: [] });
  }

  async function goOn(tx: Tx, { index_id: indexId, started_by: by }: RagRebuildsTable): Promise<void> {
    await updateRebuild(tx, indexId, { status: 'BUILDING', ...reasonColumns('cause', null) });
    await queue(tx, indexId, by);
  }

  /** Paid vectors are kept for a while, because the same settings may come back. */
  async function dispose(
    tx: Tx,
    { index_id, knowledge_base_id, embedding_model }: Omit<RagDisposalsTable, 'keep_until'>,
  ): Promise<void> {
    const isPaid = !isFree({ embeddingModel: embedding_model });
    const until = keptDays === 0 ? forGood : new Date(clock.now().getTime() + keptDays * dayMs).toISOString();
    await insertDisposal(tx, { index_id, knowledge_base_id, embedding_model, keep_until: isPaid ? until : null });
  }

  async function end(tx: Tx, { id }: KnowledgeBasesTable): Promise<void> {
    const rebuild = await findRebuild(tx, id);
    if (rebuild === undefined) return;
    await deleteRebuild(tx, id);
    await forgetRebuilt(tx, id);
    await dispose(tx, { ...rebuild, knowledge_base_id: id });
  }

  async function switchTo(tx: Tx, knowledgeBaseId: string): Promise<void> {
    const base = await lockKnowledgeBase(tx, knowledgeBaseId);
    const rebuild = await findRebuild(tx, knowledgeBaseId);
    if (base === undefined || rebuild === undefined) return;
    await useRebuilt(tx, base.id);
    await updateKnowledgeBase(tx, base.id, {
      index_id: rebuild.index_id,
      embedding_model: rebuild.embedding_model,
      chunking: rebuild.chunking,
      dimensions: rebuild.dimensions,
      found_revision: rebuild.found_revision,
      updated_at: isoNow(clock),
    });
    await deleteRebuild(tx, base.id);
    await dispose(tx, { ...base, knowledge_base_id: base.id });
  }

  /** Runs `work` with the locked knowledge base and its rebuild. */
  async function withRebuild(
    knowledgeBaseId: string,
    work: (tx: Tx, base: KnowledgeBasesTable, rebuild: RagRebuildsTable) => Promise<void>,
  ): Promise<void> {
    await db.write(async (tx) => {
      const base = await lockKnowledgeBase(tx, knowledgeBaseId);
      if (base === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
      const rebuild = await findRebuild(tx, knowledgeBaseId);
      if (rebuild === undefined) throw ragErrors.REBUILD_NOT_FOUND({ id: knowledgeBaseId });
      await work(tx, base, rebuild);
    });
    onDisposal();
  }

  return {
    async begin(tx, base, { embeddingModel, chunking, switch: how, by }) {
      const before = await findRebuild(tx, base.id);
      if (before?.embedding_model === embeddingModel && before.chunking === chunking) {
        await updateRebuild(tx, before.index_id, { switch: how });
        if (before.status === 'BUILDING') return;
        await forgetFailures(tx, base.id);
        await goOn(tx, before);
        return;
      }
      await end(tx, base);
      const indexId = newId();
      await insertRebuild(tx, {
        knowledge_base_id: base.id,
        index_id: indexId,
        embedding_model: embeddingModel,
        dimensions: null,
        chunking,
        switch: how,
        status: 'BUILDING',
        ...reasonColumns('cause', null),
        found_revision: 0,
        started_at: isoNow(clock),
        started_by: by,
      });
      await queue(tx, indexId, by);
    },
    end,
    async more(tx, knowledgeBaseId) {
      const rebuild = await findRebuild(tx, knowledgeBaseId);
      if (rebuild?.status !== 'READY') return;
      const [left] = await listDocumentsToRebuild(tx, knowledgeBaseId, { limit: 1 });
      if (left !== undefined) await goOn(tx, rebuild);
    },
    switchTo,
    wake() {
      runs.wake();
      onDisposal();
    },
    switchNow: (id) =>
      withRebuild(id, async (tx, base, { status }) => {
        if (status !== 'READY') throw ragErrors.REBUILD_NOT_READY({ status });
        await switchTo(tx, base.id);
      }),
    giveUp: (id) => withRebuild(id, (tx, base) => end(tx, base)),
  };
}
