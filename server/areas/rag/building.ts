import type { Models } from '../../models/index.ts';
import { RunFailure, RunStopped, type CheckpointProgress, type RunContext } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { RagChunksTable, RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import type { Chunk } from '../../chunking/chunking.ts';
import type { ChunkingThread } from '../../chunking/chunking-thread.ts';
import { lockDocument } from './queries/documents.ts';
import { findIndex, setDimensions, type RagIndex } from './queries/indexes.ts';
import { lockKnowledgeBase } from './queries/knowledge-bases.ts';
import type { ReadingLanes } from './reading-lanes.ts';
import type { Reconciliation } from './reconciliation.ts';
import { ragCauses } from './sentences.ts';

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

/** Locks the index of a knowledge base and the document until the end of the transaction. */
export async function lockTarget(tx: Tx, { index, document }: Pick<Building, 'index' | 'document'>): Promise<RagIndex> {
  // All transactions that lock both use this order.
  if ((await lockKnowledgeBase(tx, index.knowledgeBaseId)) === undefined) throw gone();
  const now = await findIndex(tx, index);
  if (now === undefined) throw new IndexGone('The index is in use no more');
  if ((await lockDocument(tx, document.id)) === undefined) throw gone();
  return now;
}

export function gone(): DocumentGone {
  return new DocumentGone(ragCauses.DOCUMENT_DELETED.reason({}));
}

/** Checks that all vectors of an index have the same length; the first ones set it. */
export async function requireDimensions(tx: Tx, now: RagIndex, vectors: readonly Float32Array[]): Promise<void> {
  const dimensions = vectors[0]?.length ?? 0;
  const expected = now.dimensions ?? dimensions;
  const given = vectors.find(({ length }) => length !== expected)?.length;
  if (given !== undefined) throw new RunFailure(ragCauses.DOCUMENT_VECTOR_LENGTH.reason({ given, expected }));
  if (now.dimensions === null) await setDimensions(tx, now, dimensions);
}

/** Built-in models cost nothing: their vectors are recomputed from the text instead of stored. */
export function isFree({ embeddingModel }: Pick<RagIndex, 'embeddingModel'>): boolean {
  return embeddingModel.startsWith('builtin:');
}
