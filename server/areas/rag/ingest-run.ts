import { isoNow, type Clock } from '../../kernel/clock.ts';
import type { Documents } from '../../documents/index.ts';
import type { Models } from '../../models/index.ts';
import { RunFailure, RunLetGo, type Run, type RunContext, type RunKind } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { KnowledgeBasesTable, RagChunksTable, RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import { isDatabaseUnavailable } from '../../storage/database/unavailable.ts';
import type { IndexedChunk, VectorStore } from '../../storage/vectors/index.ts';
import type { Chunking } from '../../chunking/chunking.ts';
import type { ChunkingThread } from '../../chunking/chunking-thread.ts';
import { wordsOf } from './chunk-words.ts';
import {
  deleteUnit,
  insertChunks,
  insertUnit,
  insertVectors,
  listChunks,
  listUnitsOfDocument,
  listVectors,
} from './queries/chunks.ts';
import { findDocument, lockDocument, updateDocument } from './queries/documents.ts';
import { findKnowledgeBase, nextUnit, updateKnowledgeBase } from './queries/knowledge-bases.ts';
import { readText, type ReadReceipt, type ReadText } from './reading.ts';
import { ragCauses } from './sentences.ts';
import { readStoredText } from './stored-text.ts';
import { readVectors, writeVectors } from './vectors.ts';

export const ingestKind = 'rag';

export type IngestServices = {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  documents: Documents;
  models: Pick<Models, 'embed'>;
  vectors: VectorStore;
  chunking: ChunkingThread;
};

/** A document whose reading was interrupted this often is the likely cause of the interruptions. */
const maxReadings = 3;

/** Chunks of which the vectors are asked for, stored and indexed at once. */
const chunksAtOnce = 256;
const rowsAtOnce = 500;

type Ingest = IngestServices & {
  run: Run;
  context: RunContext;
  base: KnowledgeBasesTable;
  document: RagDocumentsTable;
};

/**
 * Makes a document searchable: reads its text, cuts it, embeds and indexes the chunks. Each stage is stored before the
 * next begins; the last transaction lets searches find the new chunks in place of those of before.
 */
export function createIngestKind(services: IngestServices): RunKind {
  const { db, clock } = services;
  return {
    kind: ingestKind,
    // The bytes and the index are in the folder of this process.
    needsOwnPlace: true,
    async drive(run, context) {
      const document = await findDocument(db.read, run.taskId);
      const base = document === undefined ? undefined : await findKnowledgeBase(db.read, document.knowledge_base_id);
      if (document === undefined || base === undefined) throw new RunFailure('The document was deleted');
      try {
        await ingest({ ...services, run, context, base, document });
      } catch (error) {
        const isOver = error instanceof RunLetGo || context.signal.aborted || isDatabaseUnavailable(error);
        if (!isOver) await fail(context, document.id, error as Error);
        throw error;
      }
    },
  };

  async function fail(context: RunContext, id: string, error: Error): Promise<void> {
    await context.checkpoint({}, async (tx) => {
      if ((await lockDocument(tx, id)) === undefined) return;
      await updateDocument(tx, id, { status: 'FAILED', cause: error.message, finished_at: isoNow(clock) });
    });
  }
}

async function ingest(ingest: Ingest): Promise<void> {
  const { db, context, document, base } = ingest;
  if (document.status !== 'PROCESSING')
    await context.checkpoint({ phase: 'READ' }, (tx) => updateDocument(tx, document.id, { status: 'PROCESSING' }));
  const read = await readStored(ingest);
  // A unit that an earlier attempt has begun, or finished, has vectors that are not paid for again.
  const begun = (await listUnitsOfDocument(db.read, document.id)).at(-1);
  const unit = begun ?? (await chunk(ingest, read));
  await embedAndIndex(ingest, unit);
  await finish(ingest, { ...unit, receipt: read.receipt });
  // Searches no longer find them; what is left over by a crash here is removed at the next start.
  await removeOthers(ingest, base.id, unit.unit);
}

/** The text of the document, read now or by an earlier attempt. */
async function readStored(ingest: Ingest): Promise<ReadText> {
  const { document, context, blobs, base } = ingest;
  const stored = await readStoredText(blobs, document);
  if (stored !== undefined) return stored;
  if (context.epoch > maxReadings) throw new RunFailure(ragCauses.DOCUMENT_QUARANTINED({ times: context.epoch - 1 }));
  const source = { blobId: document.blob_id, fileType: document.file_type, owner: base.id };
  const read = await readText(ingest, source, context.signal);
  if ('cause' in read) throw new RunFailure(read.cause);
  if (read.text.trim() === '') throw new RunFailure(ragCauses.DOCUMENT_EMPTY({}));
  const writer = blobs.create();
  await writer.write(Buffer.from(read.text));
  const staged = await writer.finish();
  await blobs.flush();
  try {
    await context.checkpoint({}, async (tx) => {
      await lockOwn(tx, document.id);
      await blobs.adopt(tx, [staged]);
      await updateDocument(tx, document.id, {
        text_blob_id: staged.id,
        pages: JSON.stringify(read.pages),
        receipt: JSON.stringify(read.receipt),
      });
    });
  } finally {
    await blobs.settle([staged]);
  }
  return read;
}

type Unit = { unit: number; chunks: number };

async function chunk(ingest: Ingest, { text, pages }: ReadText): Promise<Unit> {
  const { base, document, context } = ingest;
  const chunks = await ingest.chunking.chunk(text, JSON.parse(base.chunking) as Chunking, pages);
  if (chunks.length === 0) throw new RunFailure(ragCauses.DOCUMENT_EMPTY({}));
  const unit = await context.checkpoint({ phase: 'EMBED', total: chunks.length }, async (tx) => {
    await lockOwn(tx, document.id);
    const number = await nextUnit(tx, base.id);
    if (number === undefined) throw new RunFailure('The knowledge base was deleted');
    await insertUnit(tx, {
      knowledge_base_id: base.id,
      unit: number,
      document_id: document.id,
      chunks: chunks.length,
    });
    const rows = chunks.map((one, ordinal) => ({
      knowledge_base_id: base.id,
      unit: number,
      chunk_no: ordinal,
      text: one.text,
      start_at: one.start,
      end_at: one.end,
      page: one.page,
      headings: JSON.stringify(one.headings),
    }));
    for (let from = 0; from < rows.length; from += rowsAtOnce)
      await insertChunks(tx, rows.slice(from, from + rowsAtOnce));
    return number;
  });
  if (unit === undefined) throw new Error('A checkpoint gave no unit');
  return { unit, chunks: chunks.length };
}

/** Asks for the vectors that are not stored yet, and indexes all of them. */
async function embedAndIndex(ingest: Ingest, { unit, chunks }: Unit): Promise<void> {
  const { db, base, context, blobs } = ingest;
  const key = { knowledgeBaseId: base.id, unit };
  const stored = await listVectors(db.read, key);
  // An attempt that was interrupted may have indexed some of them.
  let isFresh = false;
  for (let from = 0; from < chunks; from += chunksAtOnce) {
    const rows = await listChunks(db.read, key, { from, limit: chunksAtOnce });
    const known = stored.find(({ first_chunk: first }) => first === from);
    const vectors =
      known === undefined
        ? await embed(ingest, { unit, from, rows })
        : await readVectors(blobs, known.blob_id, known.chunks);
    const dimensions = vectors[0]?.length ?? 0;
    const index = await ingest.vectors.open(base.id, dimensions);
    if (!isFresh) await index.remove([unit]);
    isFresh = true;
    await index.add(rows.map((row, at) => indexedOf(row, vectors[at] ?? new Float32Array(dimensions))));
    context.signal.throwIfAborted();
  }
}

async function embed(
  ingest: Ingest,
  { unit, from, rows }: { unit: number; from: number; rows: readonly RagChunksTable[] },
): Promise<Float32Array[]> {
  const { base, context, models, blobs, document, run } = ingest;
  const texts = rows.map((row) => wordsOf({ text: row.text, headings: JSON.parse(row.headings) as string[] }));
  const { vectors } = await models.embed(base.embedding_model, texts, { signal: context.signal, runId: run.id });
  const dimensions = vectors[0]?.length ?? 0;
  // Built-in vectors cost nothing and are made again from the text.
  const staged = base.embedding_model.startsWith('builtin:') ? [] : [await writeVectors(blobs, vectors)];
  try {
    await context.checkpoint({ done: rows.length }, async (tx) => {
      await lockOwn(tx, document.id);
      const current = await findKnowledgeBase(tx, base.id);
      const expected = current?.dimensions ?? dimensions;
      if (expected !== dimensions)
        throw new RunFailure(ragCauses.DOCUMENT_VECTOR_LENGTH({ given: dimensions, expected }));
      if (current?.dimensions === null) await updateKnowledgeBase(tx, base.id, { dimensions });
      await blobs.adopt(tx, staged);
      for (const { id } of staged)
        await insertVectors(tx, {
          knowledge_base_id: base.id,
          unit,
          first_chunk: from,
          chunks: rows.length,
          blob_id: id,
        });
    });
  } finally {
    await blobs.settle(staged);
  }
  return vectors;
}

export function indexedOf(row: RagChunksTable, vector: Float32Array): IndexedChunk {
  const words = wordsOf({ text: row.text, headings: JSON.parse(row.headings) as string[] });
  return { unit: row.unit, ordinal: row.chunk_no, words, vector };
}

async function finish(ingest: Ingest, { unit, chunks, receipt }: Unit & { receipt: ReadReceipt }): Promise<void> {
  const { context, document, blobs, base } = ingest;
  const isWhole = receipt.pagesIn === null || receipt.pagesOut === receipt.pagesIn;
  await context.complete(async (tx, { finishedAt }) => {
    await lockOwn(tx, document.id);
    for (const other of await listUnitsOfDocument(tx, document.id)) {
      if (other.unit === unit) continue;
      await blobs.release(tx, await deleteUnit(tx, { knowledgeBaseId: base.id, unit: other.unit }));
    }
    await updateDocument(tx, document.id, {
      status: isWhole ? 'COMPLETED' : 'PARTIAL',
      cause: null,
      unit,
      chunks,
      finished_at: finishedAt,
    });
  });
}

/** Removes chunks of the document that earlier runs have made from the index. */
async function removeOthers({ db, document, vectors }: Ingest, knowledgeBaseId: string, unit: number): Promise<void> {
  if (document.unit === null || document.unit === unit) return;
  const dimensions = (await findKnowledgeBase(db.read, knowledgeBaseId))?.dimensions ?? null;
  if (dimensions === null) return;
  await (await vectors.open(knowledgeBaseId, dimensions)).remove([document.unit]);
}

/** A document that was deleted meanwhile gets nothing more. */
async function lockOwn(tx: Tx, id: string): Promise<void> {
  if ((await lockDocument(tx, id)) === undefined) throw new RunFailure('The document was deleted');
}
