import { isoNow, type Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Documents } from '../../documents/index.ts';
import { noCounts, RunFailure, RunLetGo, type Run, type RunContext, type RunKind } from '../../runs/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import { isStorageFull } from '../../storage/database/sql.ts';
import { isDatabaseUnavailable } from '../../storage/database/unavailable.ts';
import { IndexFailure } from '../../storage/vectors/index.ts';
import { deleteUnit, listUnitsOfDocument } from './queries/chunks.ts';
import { findDocument, lockDocument, updateDocument } from './queries/documents.ts';
import { findCurrentIndex, type RagIndex } from './queries/indexes.ts';
import { readText, type ReadReceipt } from './reading.ts';
import { ragCauses } from './sentences.ts';
import { buildUnit, DocumentGone, IndexGone, lockTarget, type BuildingServices, type Unit } from './unit-building.ts';

export const ingestKind = 'rag';

/** What one document, and one knowledge base, may have. */
export type RagDocumentLimits = {
  maxDocuments: number;
  maxBytes: number;
  maxCharacters: number;
  /** Times that reading it may have ended the service. */
  maxReadings: number;
};

export type IngestServices = BuildingServices & {
  clock: Clock;
  limits: RagDocumentLimits;
  documents: Documents;
  /** Lets a rebuild that was complete go on with a document that has become searchable. */
  rebuildMore(tx: Tx, knowledgeBaseId: string): Promise<void>;
  /** Call after the commit. */
  wake(): void;
};

type Ingest = IngestServices & {
  run: Run;
  context: RunContext;
  index: RagIndex;
  document: RagDocumentsTable;
  /** A unit that was made for an index which another one has replaced meanwhile. */
  replacedUnit?: { unit: number; embeddingModel: string } | undefined;
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
    sharesTransactions: true,
    async drive(run, context) {
      try {
        for (let replacedUnit: Ingest['replacedUnit']; ;) {
          const document = await findDocument(db.read, run.taskId);
          const index =
            document === undefined ? undefined : await findCurrentIndex(db.read, document.knowledge_base_id);
          if (document === undefined || index === undefined) throw new DocumentGone('The document was deleted');
          try {
            return await ingest({ ...services, run, context, index, document, replacedUnit });
          } catch (error) {
            if (!(error instanceof IndexGone)) throw error;
            // Another index took its place: once more for that one, without paying again for the same vectors.
            const made = (await listUnitsOfDocument(db.read, document.id)).findLast(
              ({ index_id: id }) => id === index.indexId,
            );
            replacedUnit = made === undefined ? undefined : { unit: made.unit, embeddingModel: index.embeddingModel };
          }
        }
      } catch (error) {
        const isOver = error instanceof RunLetGo || context.signal.aborted || isDatabaseUnavailable(error);
        if (!isOver) await fail(context, run.taskId, error as Error);
        throw error;
      }
    },
  };

  async function fail(context: RunContext, id: string, error: Error): Promise<void> {
    const cause = causeOf(error);
    const counts = { ...noCounts, in: 1, failed: 1 };
    await context.checkpoint({ counts, failures: new Map([[cause, 1]]) }, async (tx) => {
      if ((await lockDocument(tx, id)) === undefined) return;
      await updateDocument(tx, id, { status: 'FAILED', cause, finished_at: isoNow(clock) });
    });
  }
}

/** What a document that was indexed adds to the counts of its run: itself, and its chunks as what came of it. */
export function documentDone(chunks: number): { counts: Run['counts'] } {
  return { counts: { ...noCounts, in: 1, kept: 1, emitted: chunks } };
}

function causeOf(error: Error): string {
  if (isStorageFull(error) || (error instanceof AppError && error.kind === 'out-of-storage'))
    return ragCauses.DOCUMENT_STORAGE_FULL({});
  return error instanceof IndexFailure ? ragCauses.DOCUMENT_NOT_INDEXED({}) : error.message;
}

async function ingest(ingest: Ingest): Promise<void> {
  const { context, document: before, index, run, vectors, replacedUnit } = ingest;
  if (before.text_blob_id !== null && before.status !== 'PROCESSING')
    await context.checkpoint({}, (tx) => updateDocument(tx, before.id, { status: 'PROCESSING' }));
  const { text, ...fields } = before.text_blob_id === null ? await read(ingest) : {};
  const document = { ...before, ...fields };
  const building = {
    runId: run.id,
    context,
    index,
    document,
    text,
    reusedUnit: replacedUnit?.embeddingModel === index.embeddingModel ? replacedUnit.unit : undefined,
    progressOf: (step: { total: number } | { done: number }) => step,
  };
  const unit = await buildUnit(ingest, building);
  await finish(ingest, { ...unit, receipt: JSON.parse(document.receipt ?? '{}') as ReadReceipt });
  // Searches no longer find them; what is left over by a crash here is removed at the next start.
  if (document.unit === null || document.unit === unit.unit) return;
  const now = await findCurrentIndex(ingest.db.read, index.knowledgeBaseId);
  if (now?.indexId !== index.indexId || now.dimensions === null) return;
  try {
    await (await vectors.open(now.indexId, now.dimensions)).remove([document.unit]);
  } catch (error) {
    if (!(error instanceof IndexFailure)) throw error;
    if (!error.isPassing) ingest.reconciliation.makeAgain(now, error);
  }
}

type ReadFields = Pick<RagDocumentsTable, 'text_blob_id' | 'pages' | 'receipt'> & { text: string | undefined };

/** Longer texts are read again when they are cut: the many documents under way would need too much memory. */
const keptCharacters = 1 << 18;

/** Reads the file of a document; one that may have ended the service before is read while no other one is. */
async function read(ingest: Ingest): Promise<ReadFields> {
  const { document, context, lanes, limits, db } = ingest;
  const { id, readings, size_bytes: size } = document;
  if (size > limits.maxBytes) throw new RunFailure(ragCauses.DOCUMENT_TOO_LARGE({ size, limit: limits.maxBytes }));
  if (readings >= limits.maxReadings) throw new RunFailure(ragCauses.DOCUMENT_QUARANTINED({ times: readings }));
  const work = async (): Promise<ReadFields> => {
    await context.checkpoint({ phase: 'READ' }, (tx) =>
      updateDocument(tx, id, { status: 'PROCESSING', readings: readings + 1 }),
    );
    try {
      return await readOnce(ingest);
    } catch (error) {
      // The service stops: that is not the document's doing.
      if (context.signal.aborted) await db.write((tx) => updateDocument(tx, id, { readings }));
      throw error;
    }
  };
  return readings === 0 ? lanes.run(size, context.signal, work) : lanes.runAlone(context.signal, work);
}

async function readOnce(ingest: Ingest): Promise<ReadFields> {
  const { document, context, blobs, index, limits } = ingest;
  const source = { blobId: document.blob_id, fileType: document.file_type, owner: index.knowledgeBaseId };
  const found = await readText(ingest, source, context.signal);
  if ('cause' in found) throw new RunFailure(found.cause);
  const { text, pages, receipt } = found;
  if (text.trim() === '') throw new RunFailure(ragCauses.DOCUMENT_EMPTY({}));
  const { characters } = receipt;
  if (characters > limits.maxCharacters)
    throw new RunFailure(ragCauses.DOCUMENT_TOO_MANY_CHARACTERS({ characters, limit: limits.maxCharacters }));
  const writer = blobs.create();
  await writer.write(Buffer.from(text));
  const staged = await writer.finish();
  await blobs.flush();
  const fields = { text_blob_id: staged.id, pages: JSON.stringify(pages), receipt: JSON.stringify(receipt) };
  try {
    await context.checkpoint({}, async (tx) => {
      if ((await lockDocument(tx, document.id)) === undefined) throw new DocumentGone('The document was deleted');
      await blobs.adopt(tx, [staged]);
      await updateDocument(tx, document.id, { ...fields, readings: 0 });
    });
  } finally {
    await blobs.settle([staged]);
  }
  // Stored, a text loses a mark of byte order and halves of characters.
  const isAsStored = text.isWellFormed() && !text.startsWith('\uFEFF');
  return { ...fields, text: isAsStored && text.length <= keptCharacters ? text : undefined };
}

async function finish(ingest: Ingest, { unit, chunks, receipt }: Unit & { receipt: ReadReceipt }): Promise<void> {
  const { context, document, blobs, index } = ingest;
  // An empty sheet is as its author left it; a page or a slide without text is a picture of one.
  const isWhole = receipt.pagesIn === null || receipt.pageKind === 'sheet' || receipt.pagesOut === receipt.pagesIn;
  await context.complete(async (tx, { finishedAt }) => {
    await lockTarget(tx, ingest);
    for (const other of await listUnitsOfDocument(tx, document.id)) {
      // Those of other indexes are deleted with these.
      if (other.unit === unit || other.index_id !== index.indexId) continue;
      await blobs.release(tx, await deleteUnit(tx, { knowledgeBaseId: index.knowledgeBaseId, unit: other.unit }));
    }
    await updateDocument(tx, document.id, {
      status: isWhole ? 'COMPLETED' : 'PARTIAL',
      cause: null,
      unit,
      chunks,
      finished_at: finishedAt,
    });
    await ingest.rebuildMore(tx, index.knowledgeBaseId);
  }, documentDone(chunks));
  ingest.wake();
}
