import type { Models } from '../../models/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { IndexedUnit, VectorIndex, VectorStore } from '../../storage/vectors/index.ts';
import { listChunks, listUnitNumbers, listVectors } from './queries/chunks.ts';
import { listFoundUnits } from './queries/documents.ts';
import { isInUse, listIndexes, type RagIndex } from './queries/indexes.ts';
import { listKnowledgeBases } from './queries/knowledge-bases.ts';
import { indexedOf, wordsOfRow } from './unit-building.ts';
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
        for (const index of await listIndexes(db.read, base.id)) {
          known.add(index.indexId);
          if (index.dimensions !== null) await reconcile(index, index.dimensions);
        }
      }
      if (rows.length < basesAtOnce) break;
    }
    for (const id of await vectors.list()) if (!known.has(id) && !(await isInUse(db.read, id))) await vectors.drop(id);
  }

  async function reconcile(wanted: RagIndex, dimensions: number): Promise<void> {
    const index = await vectors.open(wanted.indexId, dimensions);
    const indexed = await index.countByUnit();
    // Read after the index: a unit that became current in between is in both.
    const current = await listFoundUnits(db.read, wanted);
    const wrong = current.filter(({ unit, chunks }) => !isWhole(indexed.get(unit), chunks));
    for (const { unit, chunks } of wrong) {
      stopped.signal.throwIfAborted();
      await index.remove([unit]);
      await indexAgain(wanted, index, { unit, chunks });
    }
    const kept = new Set(await listUnitNumbers(db.read, wanted.indexId));
    await index.remove([...indexed.keys()].filter((unit) => !kept.has(unit)));
    if (wrong.length > 0)
      logger.info(
        { knowledgeBaseId: wanted.knowledgeBaseId, documents: wrong.length },
        'documents were indexed again from what is stored',
      );
  }

  async function indexAgain(
    wanted: RagIndex,
    index: VectorIndex,
    { unit, chunks }: { unit: number; chunks: number },
  ): Promise<void> {
    const key = { knowledgeBaseId: wanted.knowledgeBaseId, unit };
    const stored = await listVectors(db.read, key);
    for (let from = 0; from < chunks; from += chunksAtOnce) {
      const rows = await listChunks(db.read, key, { from, limit: chunksAtOnce });
      const known = stored.find(({ first_chunk: first }) => first === from);
      const found =
        known === undefined
          ? await embed(wanted, rows.map(wordsOfRow))
          : await readVectors(blobs, known.blob_id, known.chunks);
      await index.add(rows.map((row, at) => indexedOf(row, found[at] ?? new Float32Array(index.dimensions))));
    }
  }

  async function embed({ embeddingModel }: RagIndex, texts: readonly string[]): Promise<Float32Array[]> {
    const { vectors: found } = await models.embed(embeddingModel, texts, { signal: stopped.signal });
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

/** Each chunk of a unit once. */
function isWhole(indexed: IndexedUnit | undefined, chunks: number): boolean {
  return indexed?.rows === chunks && indexed.chunks === chunks && indexed.highest === chunks - 1;
}
