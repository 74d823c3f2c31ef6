import { reasonOf } from '../../kernel/reasoned-error.ts';
import type { Models } from '../../models/index.ts';
import { RunFailure, RunStopped, type CheckpointProgress, type RunContext } from '../../runs/index.ts';
import type { BlobStore, StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { RagChunksTable, RagDocumentsTable, RagVectorsTable } from '../../storage/database/tables/rag.ts';
import { IndexFailure, type VectorIndex, type VectorStore } from '../../storage/vectors/index.ts';
import { indexedOf, wordsOfRow } from './chunk-words.ts';
import { ChunksRepeatError, maxRepetition, type Chunk, type Chunking } from '../../chunking/chunking.ts';
import type { ChunkingThread } from '../../chunking/chunking-thread.ts';
import {
  insertChunks,
  insertUnit,
  insertVectors,
  listChunks,
  listUnitsOfDocument,
  listVectors,
} from './queries/chunks.ts';
import { lockDocument } from './queries/documents.ts';
import { findIndex, setDimensions, type RagIndex } from './queries/indexes.ts';
import { lockKnowledgeBase, nextUnit } from './queries/knowledge-bases.ts';
import type { ReadingLanes } from './reading-lanes.ts';
import type { Reconciliation } from './reconciliation.ts';
import { ragCauses } from './sentences.ts';
import { readStoredText, storedTextOf, type StoredText } from './stored-text.ts';
import { openStoredVectors, type StoredVectors } from './stored-vectors.ts';
import { readVectorsOf, writeVectors } from './vectors.ts';

export type BuildingServices = {
  db: Database;
  blobs: BlobStore;
  models: Pick<Models, 'embed'>;
  vectors: VectorStore;
  reconciliation: Pick<Reconciliation, 'makeAgain'>;
  chunking: ChunkingThread;
  lanes: ReadingLanes;
};

/** The document was deleted while it was processed. */
export class DocumentGone extends RunStopped {
  override readonly name = 'DocumentGone';
}

/** The index is no longer in use: it was replaced, or its rebuild was cancelled. */
export class IndexGone extends Error {
  override readonly name = 'IndexGone';
}

/** A document to put into an index. */
export type Building = {
  runId: string;
  context: Pick<RunContext, 'checkpoint' | 'signal'>;
  index: RagIndex;
  document: RagDocumentsTable;
  /** Its text, if it was just read. */
  text?: string | undefined;
  /** Units of the document with vectors from the same model. */
  reusedUnits: readonly number[];
  /** What a checkpoint adds to the run's progress. */
  progressOf(step: { total: number } | { done: number }): CheckpointProgress;
};

export type Unit = { unit: number; chunks: number };

/** The chunks of a text that is not stored as a unit yet. */
export type CutText = {
  chunks: readonly Chunk[];
  /** One per chunk; undefined if they still have to be computed. */
  vectors: readonly Float32Array[] | undefined;
};

/** A unit that was just stored, with the rows of its chunks. */
export type NewUnit = Unit & { rows: readonly RagChunksTable[]; vectors: CutText['vectors'] };

/** Number of chunks embedded, stored and indexed together. */
export const chunksAtOnce = 256;
const rowsAtOnce = 500;

/**
 * Cuts the text, then embeds and indexes its chunks; each stage is stored before the next begins, and a retry reuses
 * the stages already stored. Searches find nothing of it until the document names the unit. Throws DocumentGone and
 * IndexGone.
 */
export async function buildUnit(services: BuildingServices, building: Building, stored?: NewUnit): Promise<Unit> {
  const { document, index } = building;
  const begun =
    stored === undefined
      ? (await listUnitsOfDocument(services.db.read, document.id)).findLast(({ index_id: id }) => id === index.indexId)
      : undefined;
  const unit = stored ?? begun ?? (await chunk(services, building));
  let mayBeIndexed = begun !== undefined;
  // An index rebuilt meanwhile gets only complete documents, so this one is indexed again.
  while (!(await embedAndIndex(services, building, { ...unit, mayBeIndexed }))) mayBeIndexed = true;
  return { unit: unit.unit, chunks: unit.chunks };
}

/** Locks the index of a knowledge base and the document until the end of the transaction. */
export async function lockTarget(tx: Tx, { index, document }: Pick<Building, 'index' | 'document'>): Promise<RagIndex> {
  // All transactions that lock both use this order.
  if ((await lockKnowledgeBase(tx, index.knowledgeBaseId)) === undefined) throw gone();
  const now = await findIndex(tx, index);
  if (now === undefined) throw new IndexGone('The index is in use no more');
  if ((await lockDocument(tx, document.id)) === undefined) throw gone();
  return now;
}

function gone(): DocumentGone {
  return new DocumentGone('The document was deleted');
}

async function chunk(services: BuildingServices, building: Building): Promise<NewUnit> {
  const { document, text, context, progressOf, index } = building;
  const { blobs, lanes } = services;
  const textBytes = (document.text_blob_id === null ? undefined : await blobs.find(document.text_blob_id))?.sizeBytes;
  const textToCut = { knowledgeBaseId: index.knowledgeBaseId, sizeBytes: textBytes ?? 0 };
  const chunks = await lanes.run(textToCut, context.signal, async () => {
    const read = text === undefined ? await readStoredText(blobs, document) : storedTextOf(document, text);
    if (read === undefined) throw new RunFailure(ragCauses.DOCUMENT_DAMAGED.reason({}));
    return cut(services, building, read);
  });
  const unit = await context.checkpoint({ phase: 'EMBED', ...progressOf({ total: chunks.length }) }, async (tx) => {
    await lockTarget(tx, building);
    return storeUnit(tx, building, { chunks, vectors: undefined });
  });
  if (unit === undefined) throw new Error('A checkpoint gave no unit');
  // The rows of a long text are read again in batches.
  return text === undefined ? { ...unit, rows: [] } : unit;
}

/** Cuts a text into chunks; throws RunFailure if there are none. */
export async function cut(
  { chunking }: Pick<BuildingServices, 'chunking'>,
  { index, context }: Pick<Building, 'index' | 'context'>,
  { text, pages, syntax }: Pick<StoredText, 'text' | 'pages' | 'syntax'>,
): Promise<Chunk[]> {
  const chunks = await chunking
    .chunk(text, JSON.parse(index.chunking) as Chunking, pages, syntax, context.signal)
    .catch((error: Error) => {
      context.signal.throwIfAborted();
      throw new RunFailure(
        error instanceof ChunksRepeatError
          ? ragCauses.DOCUMENT_CHUNKS_REPEAT.reason({ times: maxRepetition })
          : ragCauses.DOCUMENT_NOT_CUT.reason({ why: reasonOf(error) }),
      );
    });
  if (chunks.length === 0) throw new RunFailure(ragCauses.DOCUMENT_EMPTY.reason({}));
  return chunks;
}

/** Stores chunks as a unit; the target must be locked. */
export async function storeUnit(
  tx: Tx,
  { index, document }: Pick<Building, 'index' | 'document'>,
  { chunks, vectors }: CutText,
): Promise<NewUnit> {
  const { knowledgeBaseId, indexId } = index;
  const unit = await nextUnit(tx, knowledgeBaseId);
  if (unit === undefined) throw gone();
  const ofIndex = { knowledge_base_id: knowledgeBaseId, unit };
  await insertUnit(tx, { ...ofIndex, index_id: indexId, document_id: document.id, chunks: chunks.length });
  const rows = chunks.map((one, ordinal) => ({
    ...ofIndex,
    chunk_no: ordinal,
    text: one.text,
    start_at: one.start,
    end_at: one.end,
    page: one.page,
    headings: JSON.stringify(one.headings),
  }));
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await insertChunks(tx, rows.slice(from, from + rowsAtOnce));
  return { unit, chunks: rows.length, rows, vectors };
}

/** Checks that all vectors of an index have the same length; the first ones set it. */
export async function requireDimensions(tx: Tx, now: RagIndex, vectors: readonly Float32Array[]): Promise<void> {
  const dimensions = vectors[0]?.length ?? 0;
  const expected = now.dimensions ?? dimensions;
  const given = vectors.find(({ length }) => length !== expected)?.length;
  if (given !== undefined) throw new RunFailure(ragCauses.DOCUMENT_VECTOR_LENGTH.reason({ given, expected }));
  if (now.dimensions === null) await setDimensions(tx, now, dimensions);
}

/** Computes the vectors that are not stored yet, and indexes all of them; returns false if the index was replaced. */
async function embedAndIndex(
  services: BuildingServices,
  building: Building,
  { unit, chunks, mayBeIndexed, rows: known = [], vectors: made }: Unit & Partial<NewUnit> & { mayBeIndexed: boolean },
): Promise<boolean> {
  const { db, vectors: store, reconciliation } = services;
  const { index, context } = building;
  const key = { knowledgeBaseId: index.knowledgeBaseId, unit };
  const stored = isFree(index) ? [] : await listVectors(db.read, key);
  const reused = await openReused(services, building);
  // An interrupted attempt may have indexed some of them.
  let isFresh = !mayBeIndexed;
  let table: VectorIndex | undefined;
  for (let from = 0; from < chunks; from += chunksAtOnce) {
    const limit = chunksAtOnce;
    const rows = known.length > 0 ? known.slice(from, from + limit) : await listChunks(db.read, key, { from, limit });
    const vectors =
      made?.slice(from, from + limit) ?? (await embed(services, building, { unit, from, rows, stored, reused }));
    const dimensions = vectors[0]?.length ?? 0;
    const now = await store.open(index.indexId, dimensions);
    table ??= now;
    if (now !== table) return false;
    try {
      if (!isFresh) await table.remove([unit]);
      isFresh = true;
      await table.add(rows.map((row, at) => indexedOf(row, vectors[at] ?? new Float32Array(dimensions))));
    } catch (error) {
      if ((await store.open(index.indexId, dimensions)) !== table) return false;
      if (error instanceof IndexFailure && !error.isPassing) reconciliation.makeAgain(index, error);
      throw error;
    }
    if ((await store.open(index.indexId, dimensions)) !== table) return false;
    context.signal.throwIfAborted();
  }
  return true;
}

async function openReused(
  services: BuildingServices,
  { index, reusedUnits }: Building,
): Promise<StoredVectors | undefined> {
  if (reusedUnits.length === 0 || isFree(index)) return undefined;
  const { knowledgeBaseId } = index;
  const units = await Promise.all(reusedUnits.map((unit) => openStoredVectors(services, { knowledgeBaseId, unit })));
  return {
    async find(texts) {
      const found: (Float32Array | undefined)[] = texts.map(() => undefined);
      for (const one of units) {
        const missing = [...texts.keys()].filter((at) => found[at] === undefined);
        const vectors = await one.find(missing.map((at) => texts[at] ?? ''));
        for (const [index, at] of missing.entries()) found[at] = vectors[index];
      }
      return found;
    },
  };
}

/** Built-in models cost nothing: their vectors are recomputed from the text instead of stored. */
export function isFree({ embeddingModel }: Pick<RagIndex, 'embeddingModel'>): boolean {
  return embeddingModel.startsWith('builtin:');
}

type SomeChunks = { unit: number; from: number; rows: readonly RagChunksTable[] };

/** The vectors of a batch of chunks: from this unit or a reused one if stored, else from the model. */
async function embed(
  services: BuildingServices,
  building: Building,
  { stored, reused, ...some }: SomeChunks & { stored: readonly RagVectorsTable[]; reused: StoredVectors | undefined },
): Promise<Float32Array[]> {
  const { index, context, runId, progressOf } = building;
  const texts = some.rows.map(wordsOfRow);
  const { signal } = context;
  if (isFree(index)) {
    const { vectors } = await services.models.embed(index.embeddingModel, texts, { signal, runId });
    await context.checkpoint(progressOf({ done: texts.length }), async (tx) =>
      requireDimensions(tx, await lockTarget(tx, building), vectors),
    );
    return vectors;
  }
  const found = await readVectorsOf(services.blobs, stored, { from: some.from, count: texts.length });
  const isStored = found.map((vector) => vector !== undefined);
  const reusable = (await reused?.find(texts)) ?? [];
  for (const at of texts.keys()) found[at] ??= reusable[at];
  const missing = [...texts.keys()].filter((at) => found[at] === undefined);
  const record = (from: number, to: number): Promise<void> =>
    recordVectors(services, building, some, { vectors: found, isStored, from, to });
  if (missing.length === 0) await record(0, texts.length);
  else {
    const asked = missing.map((at) => texts[at] ?? '');
    await services.models.embed(index.embeddingModel, asked, {
      signal,
      runId,
      // Includes the chunks before and within the batch whose vectors were reused.
      async onBatch(first, vectors) {
        for (const [at, vector] of vectors.entries()) found[missing[first + at] ?? 0] = vector;
        await record(first === 0 ? 0 : (missing[first] ?? 0), missing[first + vectors.length] ?? texts.length);
      },
    });
  }
  return found.map((vector) => vector ?? new Float32Array(0));
}

/** Stores the vectors of a batch of chunks that are not stored yet, in one transaction. */
async function recordVectors(
  { blobs }: Pick<BuildingServices, 'blobs'>,
  building: Building,
  some: SomeChunks,
  given: { vectors: readonly (Float32Array | undefined)[]; isStored: readonly boolean[]; from: number; to: number },
): Promise<void> {
  const { index, context, progressOf } = building;
  const parts: { first: number; vectors: Float32Array[] }[] = [];
  for (let at = given.from; at < given.to; at += 1) {
    const vector = given.vectors[at];
    if (vector === undefined || given.isStored[at] === true) continue;
    const last = parts.at(-1);
    if (last !== undefined && last.first + last.vectors.length === at) last.vectors.push(vector);
    else parts.push({ first: at, vectors: [vector] });
  }
  if (parts.length === 0) return;
  const staged: StagedBlob[] = [];
  try {
    for (const { vectors } of parts) staged.push(await writeVectors(blobs, vectors));
    const all = parts.flatMap(({ vectors }) => vectors);
    await context.checkpoint(progressOf({ done: all.length }), async (tx) => {
      await requireDimensions(tx, await lockTarget(tx, building), all);
      await blobs.adopt(tx, staged);
      for (const [at, { first, vectors }] of parts.entries())
        await insertVectors(tx, {
          knowledge_base_id: index.knowledgeBaseId,
          unit: some.unit,
          first_chunk: some.from + first,
          chunks: vectors.length,
          blob_id: staged[at]?.id ?? '',
        });
    });
  } finally {
    await blobs.settle(staged);
  }
}
