import { createBackgroundTask } from '../../kernel/background-task.ts';
import type { Models } from '../../models/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { RagChunksTable } from '../../storage/database/tables/rag.ts';
import {
  IndexFailure,
  type IndexedChunk,
  type IndexedUnit,
  type VectorIndex,
  type VectorStore,
} from '../../storage/vectors/index.ts';
import { indexedOf, wordsOfRow } from './chunk-words.ts';
import { ragErrors } from './errors.ts';
import { listChunks, listUnitNumbers, listVectors } from './queries/chunks.ts';
import { listFoundUnits } from './queries/documents.ts';
import { isInUse, listIndexes, type RagIndex } from './queries/indexes.ts';
import { listKnowledgeBases } from './queries/knowledge-bases.ts';
import { readVectorsOf } from './vectors.ts';

/**
 * Makes indexes agree with the database: power loss may have taken what was written last, files may be missing or
 * damaged, a kill leaves what nobody finds. Each index is compared once, before its first search at the latest.
 */
export type Reconciliation = {
  /** Begins in the background. */
  start(): void;
  /** Throws KNOWLEDGE_BASE_INDEX_REBUILDING while chunks are missing in the index: a search would find a part of them. */
  requireWhole(index: RagIndex): Promise<void>;
  /** Whether chunks that are missing in the index are being added. */
  isMadeAgain(index: RagIndex): Promise<boolean>;
  /** The index could not be read or written: it is dropped and made again from the database. */
  makeAgain(index: RagIndex, error: Error): void;
  stop(): Promise<void>;
};

type Incomplete = { index: RagIndex; done: number; total: number; isUnreadable: boolean };

const chunksAtOnce = 256;
/** Chunks in one write; small documents share it. */
const rowsAtOnce = 1_000;
const basesAtOnce = 100;
const retryAfterSeconds = 2;

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
  const compared = new Map<string, Promise<void>>();
  const incomplete = new Map<string, Incomplete>();
  let areLeftoversRemoved = false;

  const task = createBackgroundTask({
    async work(signal) {
      const known = areLeftoversRemoved ? [] : await listAll();
      for (const index of known) {
        signal.throwIfAborted();
        await compareOnce(index);
      }
      const failures: unknown[] = [];
      for (const one of incomplete.values()) {
        signal.throwIfAborted();
        await complete(one, signal).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
      if (!areLeftoversRemoved) await removeLeftovers(known);
      areLeftoversRemoved = true;
    },
    onError: (error) =>
      logger.error({ err: error }, 'indexes could not be compared with the database; trying again until it works'),
  });

  async function listAll(): Promise<RagIndex[]> {
    const all: RagIndex[] = [];
    for (let page = 0; ; page += 1) {
      const filter = { keyword: undefined, sort: { field: 'createdAt', direction: 'asc' } } as const;
      const { rows } = await listKnowledgeBases(db.read, filter, { page, size: basesAtOnce });
      for (const base of rows) all.push(...(await listIndexes(db.read, base.id)));
      if (rows.length < basesAtOnce) return all;
    }
  }

  function compareOnce(index: RagIndex): Promise<void> {
    if (index.dimensions === null) return Promise.resolve();
    let comparing = compared.get(index.indexId);
    if (comparing === undefined) {
      comparing = compare(index, index.dimensions);
      compared.set(index.indexId, comparing);
      comparing.catch(() => compared.delete(index.indexId));
    }
    return comparing;
  }

  async function compare(index: RagIndex, dimensions: number): Promise<void> {
    const { indexId } = index;
    // Read before the index: the chunks of a document are there before it names them.
    const before = await listFoundUnits(db.read, index);
    let indexed: ReadonlyMap<number, IndexedUnit> = new Map();
    let failure: Error | undefined;
    try {
      indexed = await (await vectors.open(indexId, dimensions)).countByUnit();
    } catch (error) {
      failure = error as Error;
    }
    const wrong = before.filter(({ unit, chunks }) => !isWhole(indexed.get(unit), chunks));
    if (failure === undefined && wrong.length === 0) return;
    // A document that was deleted or replaced meanwhile misses nothing.
    const now = await listFoundUnits(db.read, index);
    const current = new Set(now.map(({ unit }) => unit));
    const missing = sum(wrong.filter(({ unit }) => current.has(unit)));
    if (failure !== undefined) makeAgain(index, failure);
    else if (missing > 0) {
      const total = sum(now);
      incomplete.set(indexId, { index, done: Math.max(0, total - missing), total, isUnreadable: false });
      task.wake();
    }
  }

  function makeAgain(index: RagIndex, error: Error): void {
    if (incomplete.has(index.indexId)) return;
    const { knowledgeBaseId, indexId } = index;
    logger.error({ err: error, knowledgeBaseId }, 'an index can not be used; it is made again from the database');
    incomplete.set(indexId, { index, done: 0, total: 0, isUnreadable: true });
    task.wake();
  }

  async function complete(one: Incomplete, signal: AbortSignal): Promise<void> {
    const { knowledgeBaseId, indexId } = one.index;
    // A rebuild's index may have become the one in use.
    const wanted = (await listIndexes(db.read, knowledgeBaseId)).find((index) => index.indexId === indexId);
    if (wanted === undefined || wanted.dimensions === null) {
      incomplete.delete(indexId);
      return;
    }
    if (one.isUnreadable) await vectors.drop(indexId);
    one.isUnreadable = false;
    const index = await vectors.open(indexId, wanted.dimensions);
    try {
      const indexed = await index.countByUnit();
      const current = await listFoundUnits(db.read, wanted);
      const wrong = current.filter(({ unit, chunks }) => !isWhole(indexed.get(unit), chunks));
      one.total = sum(current);
      one.done = one.total - sum(wrong);
      await index.remove(wrong.map(({ unit }) => unit));
      let rows: IndexedChunk[] = [];
      for (const unit of wrong)
        for await (const some of readUnit(wanted, index, unit, signal)) {
          rows.push(...some);
          if (rows.length < rowsAtOnce) continue;
          await index.add(rows);
          one.done += rows.length;
          rows = [];
        }
      await index.add(rows);
      await index.join();
      incomplete.delete(indexId);
      logger.info({ knowledgeBaseId, documents: wrong.length }, 'documents were indexed again from what is stored');
    } catch (error) {
      // The next attempt begins with an empty one, unless a full disk or a model is the cause.
      if (isUnreadable(error)) one.isUnreadable = true;
      throw error;
    } finally {
      if (!(await isInUse(db.read, indexId))) {
        incomplete.delete(indexId);
        await vectors.drop(indexId);
      }
    }
  }

  async function* readUnit(
    wanted: RagIndex,
    index: VectorIndex,
    { unit, chunks }: { unit: number; chunks: number },
    signal: AbortSignal,
  ): AsyncGenerator<IndexedChunk[]> {
    const key = { knowledgeBaseId: wanted.knowledgeBaseId, unit };
    const stored = await listVectors(db.read, key);
    for (let from = 0; from < chunks; from += chunksAtOnce) {
      signal.throwIfAborted();
      const rows = await listChunks(db.read, key, { from, limit: chunksAtOnce });
      // Deleted meanwhile.
      if (rows.length === 0) return;
      const found = await readVectorsOf(blobs, stored, { from, count: rows.length });
      const missing = rows.filter((_, at) => found[at] === undefined);
      const made = missing.length === 0 ? [] : await embed(wanted, missing, signal);
      for (const [at, row] of missing.entries()) found[row.chunk_no - from] = made[at];
      yield rows.map((row, at) => indexedOf(row, found[at] ?? new Float32Array(index.dimensions)));
    }
  }

  async function embed(
    { embeddingModel }: RagIndex,
    rows: readonly RagChunksTable[],
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const { vectors: found } = await models.embed(embeddingModel, rows.map(wordsOfRow), { signal });
    return found;
  }

  /** Chunks that no document has, and indexes that no knowledge base has. */
  async function removeLeftovers(known: readonly RagIndex[]): Promise<void> {
    for (const { indexId, dimensions } of known) {
      if (dimensions === null || !(await isInUse(db.read, indexId))) continue;
      const index = await vectors.open(indexId, dimensions);
      const indexed = await index.countByUnit();
      // Read after the index: a unit is stored before it is indexed.
      const kept = new Set(await listUnitNumbers(db.read, indexId));
      await index.remove([...indexed.keys()].filter((unit) => !kept.has(unit)));
    }
    const ids = new Set(known.map(({ indexId }) => indexId));
    for (const id of await vectors.list()) if (!ids.has(id) && !(await isInUse(db.read, id))) await vectors.drop(id);
  }

  return {
    start: task.start,
    makeAgain,
    async requireWhole(index) {
      await compareOnce(index);
      const one = incomplete.get(index.indexId);
      if (one === undefined) return;
      const total = one.total === 0 ? sum(await listFoundUnits(db.read, index)) : one.total;
      throw ragErrors.KNOWLEDGE_BASE_INDEX_REBUILDING(
        { id: index.knowledgeBaseId, done: one.done, total, seconds: retryAfterSeconds },
        { retryAfterSeconds },
      );
    },
    async isMadeAgain(index) {
      await compareOnce(index);
      return incomplete.has(index.indexId);
    },
    stop: task.stop,
  };
}

function isUnreadable(error: unknown): boolean {
  return error instanceof IndexFailure && !error.isPassing;
}

function sum(units: readonly { chunks: number }[]): number {
  return units.reduce((all, { chunks }) => all + chunks, 0);
}

/** Each chunk of a unit once. */
function isWhole(indexed: IndexedUnit | undefined, chunks: number): boolean {
  return indexed?.rows === chunks && indexed.chunks === chunks && indexed.highest === chunks - 1;
}
