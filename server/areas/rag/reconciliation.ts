import type { Models } from '../../models/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { KnowledgeBasesTable } from '../../storage/database/tables/rag.ts';
import type { VectorIndex, VectorStore } from '../../storage/vectors/index.ts';
import { wordsOf } from './chunk-words.ts';
import { indexedOf } from './ingest-run.ts';
import { listChunks, listUnitNumbers, listVectors } from './queries/chunks.ts';
import { listCurrentUnits } from './queries/documents.ts';
import { findKnowledgeBase, listKnowledgeBases } from './queries/knowledge-bases.ts';
import { readVectors } from './vectors.ts';

/** Makes indexes agree with the database: power loss may have taken what was written last, a kill leaves what nobody finds. */
export type Reconciliation = {
  /** Begins in the background. */
  start(): void;
  /** Resolves when it has ended; throws what made it end early. */
  done(): Promise<void>;
  stop(): Promise<void>;
};

const chunksAtOnce = 256;
const basesAtOnce = 100;

export function createReconciliation({
  db,
  blobs,
  models,
  vectors,
  logger,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'open'>;
  models: Pick<Models, 'embed'>;
  vectors: VectorStore;
  logger: { info(details: object, message: string): void; error(details: object, message: string): void };
}): Reconciliation {
  const stopped = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function reconcileAll(): Promise<void> {
    const known = new Set<string>();
    for (let page = 0; ; page += 1) {
      const filter = { keyword: undefined, sort: { field: 'createdAt', direction: 'asc' } } as const;
      const { rows } = await listKnowledgeBases(db.read, filter, { page, size: basesAtOnce });
      for (const base of rows) {
        known.add(base.id);
        if (base.dimensions !== null) await reconcile(base, base.dimensions);
      }
      if (rows.length < basesAtOnce) break;
    }
    for (const id of await vectors.list())
      if (!known.has(id) && (await findKnowledgeBase(db.read, id)) === undefined) await vectors.drop(id);
  }

  async function reconcile(base: KnowledgeBasesTable, dimensions: number): Promise<void> {
    const index = await vectors.open(base.id, dimensions);
    const indexed = await index.countByUnit();
    // Read after the index: a unit that became current in between is in both.
    const current = await listCurrentUnits(db.read, base.id);
    const wrong = current.filter(({ unit, chunks }) => indexed.get(unit) !== chunks);
    for (const { unit, chunks } of wrong) {
      stopped.signal.throwIfAborted();
      await index.remove([unit]);
      await indexAgain(base, index, { unit, chunks });
    }
    const kept = new Set(await listUnitNumbers(db.read, base.id));
    await index.remove([...indexed.keys()].filter((unit) => !kept.has(unit)));
    if (wrong.length > 0)
      logger.info(
        { knowledgeBaseId: base.id, documents: wrong.length },
        'documents were indexed again from what is stored',
      );
  }

  async function indexAgain(
    base: KnowledgeBasesTable,
    index: VectorIndex,
    { unit, chunks }: { unit: number; chunks: number },
  ): Promise<void> {
    const key = { knowledgeBaseId: base.id, unit };
    const stored = await listVectors(db.read, key);
    for (let from = 0; from < chunks; from += chunksAtOnce) {
      const rows = await listChunks(db.read, key, { from, limit: chunksAtOnce });
      const known = stored.find(({ first_chunk: first }) => first === from);
      const found =
        known === undefined
          ? await embed(
              base,
              rows.map((row) => wordsOf({ text: row.text, headings: JSON.parse(row.headings) as string[] })),
            )
          : await readVectors(blobs, known.blob_id, known.chunks);
      await index.add(rows.map((row, at) => indexedOf(row, found[at] ?? new Float32Array(index.dimensions))));
    }
  }

  async function embed(base: KnowledgeBasesTable, texts: readonly string[]): Promise<Float32Array[]> {
    const { vectors: found } = await models.embed(base.embedding_model, texts, { signal: stopped.signal });
    return found;
  }

  return {
    start() {
      running = reconcileAll();
      running.catch((error: unknown) => {
        if (!stopped.signal.aborted)
          logger.error({ err: error }, 'indexes could not be compared with the database; searches may miss documents');
      });
    },
    done: () => running,
    async stop() {
      stopped.abort();
      await running.catch(() => undefined);
    },
  };
}
