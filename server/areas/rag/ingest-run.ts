import { isoNow, type Clock } from '../../kernel/clock.ts';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { reasonColumns, type Reason } from '../../kernel/sentences/index.ts';
import type { DocumentPart, Documents } from '../../documents/index.ts';
import { noCounts, RunFailure, RunLetGo, type Run, type RunContext, type RunKind } from '../../runs/index.ts';
import type { StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { Tx } from '../../storage/database/database.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { DiskMeasure } from '../../storage/disk-space/index.ts';
import { isDatabaseUnavailable } from '../../storage/database/unavailable.ts';
import { IndexFailure } from '../../storage/vectors/index.ts';
import { wordsOf } from './chunk-words.ts';
import { deleteUnit, listUnitsOfDocument } from './queries/chunks.ts';
import { findDocument, lockDocument, updateDocument } from './queries/documents.ts';
import type { Following } from './following.ts';
import { findCurrentIndex, type RagIndex } from './queries/indexes.ts';
import { readPlainFile, readText, type Reading, type ReadReceipt, type ReadText } from './reading.ts';
import { isWaitingForSpace, ragCauses, waitsForSpace } from './sentences.ts';
import { createSpaceWait, isFull, type WaitingForSpace } from './space-wait.ts';
import { storedTextOf } from './stored-text.ts';
import {
  buildUnit,
  chunksAtOnce,
  cut,
  DocumentGone,
  IndexGone,
  isFree,
  lockTarget,
  requireDimensions,
  storeUnit,
  type Building,
  type BuildingServices,
  type NewUnit,
  type Unit,
} from './unit-building.ts';

export const ingestKind = 'rag';

/** Limits of one document, and of one knowledge base. */
export type RagDocumentLimits = {
  maxDocuments: number;
  maxBytes: number;
  maxCharacters: number;
  /** How many attempts to read a document may crash the service before it fails. */
  maxReadings: number;
  /** Which part of an HTML page is read. */
  htmlPart: DocumentPart;
};

export type IngestServices = BuildingServices & {
  clock: Clock;
  limits: RagDocumentLimits;
  documents: Documents;
  /** Lets a completed rebuild continue with a document that became searchable. */
  rebuildMore(tx: Tx, knowledgeBaseId: string): Promise<void>;
  measureSpace(): Promise<Pick<DiskMeasure, 'state' | 'freeBytes'>>;
  waitingForSpace: WaitingForSpace;
  /** Call after the commit. */
  wake(): void;
  following: Pick<Following, 'numberFound' | 'tellFound' | 'doubt'>;
};

type Ingest = IngestServices & {
  run: Run;
  context: RunContext;
  index: RagIndex;
  document: RagDocumentsTable;
  /** A unit made for an index that was replaced meanwhile. */
  replacedUnit?: { unit: number; embeddingModel: string } | undefined;
};

/**
 * Makes a document searchable: reads its text, cuts it, embeds and indexes the chunks. Each stage is stored before the
 * next begins; the last transaction makes searches find the new chunks in place of the old ones.
 */
export function createIngestKind(services: IngestServices): RunKind {
  const { db, blobs, clock } = services;
  return {
    kind: ingestKind,
    needsOwnPlace: blobs.shared === undefined,
    sharesTransactions: true,
    // One more than the limit of readings, so that the document fails first, with its own reason.
    mostProcessEnds: services.limits.maxReadings + 1,
    // If the failure itself could not be stored, as on a full disk, the document would otherwise stay unfinished.
    async ended(tx, { taskId, error, finishedAt }) {
      const document = await lockDocument(tx, taskId);
      if (document?.status !== 'PENDING' && document?.status !== 'PROCESSING') return;
      await updateDocument(tx, taskId, {
        status: 'FAILED',
        ...reasonColumns('cause', causeOf(error as Error)),
        finished_at: finishedAt,
      });
    },
    async drive(run, context) {
      try {
        const space = createSpaceWait(services, context, {
          id: run.taskId,
          say: (tx) =>
            updateDocument(tx, run.taskId, { status: 'PROCESSING', ...reasonColumns('cause', waitsForSpace) }),
        });
        for (let replacedUnit: Ingest['replacedUnit']; ;) {
          const document = await findDocument(db.read, run.taskId);
          const index =
            document === undefined ? undefined : await findCurrentIndex(db.read, document.knowledge_base_id);
          if (document === undefined || index === undefined) throw new DocumentGone('The document was deleted');
          // Checked before paying for anything that could not be stored.
          if (isWaitingForSpace(document)) await space.untilRoom(document.size_bytes);
          try {
            return await ingest({ ...services, run, context, index, document, replacedUnit });
          } catch (error) {
            if (error instanceof RunLetGo) services.following.doubt(index.indexId);
            if (isFull(error) && !context.signal.aborted && (await space.mayComeBack(document.size_bytes))) continue;
            if (!(error instanceof IndexGone)) throw error;
            // The index was replaced: start over for the new one, reusing the vectors already paid for.
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
    await context.checkpoint({ counts, failures: new Map([[cause.text, 1]]) }, async (tx) => {
      if ((await lockDocument(tx, id)) === undefined) return;
      await updateDocument(tx, id, { status: 'FAILED', ...reasonColumns('cause', cause), finished_at: isoNow(clock) });
    });
  }
}

/** What an indexed document adds to the counts of its run: itself, and its chunks as emitted. */
export function documentDone(chunks: number): { counts: Run['counts'] } {
  return { counts: { ...noCounts, in: 1, kept: 1, emitted: chunks } };
}

function causeOf(error: Error): Reason {
  if (isFull(error)) return ragCauses.DOCUMENT_STORAGE_FULL.reason({});
  return error instanceof IndexFailure ? ragCauses.DOCUMENT_NOT_INDEXED.reason({}) : reasonOf(error);
}

async function ingest(ingest: Ingest): Promise<void> {
  const { document: before, index, vectors } = ingest;
  const { building, stored } = (await readAtOnce(ingest)) ?? { building: await readInSteps(ingest), stored: undefined };
  const { document } = building;
  const unit = await buildUnit(ingest, building, stored);
  await finish(ingest, { ...unit, receipt: JSON.parse(document.receipt ?? '{}') as ReadReceipt });
  // Searches no longer find them; leftovers after a crash here are removed at the next start.
  if (before.unit === null || before.unit === unit.unit) return;
  const now = await findCurrentIndex(ingest.db.read, index.knowledgeBaseId);
  if (now?.indexId !== index.indexId || now.dimensions === null) return;
  try {
    await (await vectors.open(now.indexId, now.dimensions)).remove([before.unit]);
  } catch (error) {
    if (!(error instanceof IndexFailure)) throw error;
    if (!error.isPassing) ingest.reconciliation.makeAgain(now, error);
  }
}

/** Larger texts are stored before they are cut; holding those of all documents under way would need too much memory. */
const mostBytesAtOnce = 1 << 17;

/**
 * Reads, cuts and (if free) embeds a small plain text, then stores everything in one transaction. Nothing in it can
 * crash the service, so it does not count as a reading attempt. Returns undefined for all other documents.
 */
async function readAtOnce(ingest: Ingest): Promise<{ building: Building; stored: NewUnit } | undefined> {
  const { document, context, lanes, models, index } = ingest;
  const { text_blob_id: textBlobId, readings, size_bytes: size, blob_id: blobId, file_type: fileType } = document;
  if (textBlobId !== null || readings > 0 || size > mostBytesAtOnce) return undefined;
  if ((await listUnitsOfDocument(ingest.db.read, document.id)).length > 0) return undefined;
  return lanes.run({ knowledgeBaseId: index.knowledgeBaseId, sizeBytes: size }, context.signal, async () => {
    const file = await readPlainFile(ingest, { blobId, fileType });
    if (file === undefined) return undefined;
    const read = requireText(ingest, file.reading);
    const receipt = JSON.stringify(read.receipt);
    const found = storedTextOf({ ...document, pages: '[]', receipt }, asStored(read.text));
    if (found === undefined) return undefined;
    const building = buildingOf(ingest, document);
    const chunks = await cut(ingest, building, found);
    const texts = isFree(index) && chunks.length <= chunksAtOnce ? chunks.map(wordsOf) : undefined;
    const made =
      texts && (await models.embed(index.embeddingModel, texts, { signal: context.signal, runId: ingest.run.id }));
    const bytes = Buffer.from(read.text);
    const staged = bytes.equals(file.bytes) ? undefined : await stageText(ingest, bytes);
    const fields = { text_blob_id: staged?.id ?? blobId, pages: '[]', receipt };
    const progress = { phase: 'EMBED', total: chunks.length, done: made === undefined ? 0 : chunks.length };
    try {
      const stored = await context.checkpoint(progress, async (tx) => {
        const now = await lockTarget(tx, building);
        if (made !== undefined) await requireDimensions(tx, now, made.vectors);
        await adoptText(tx, ingest, staged);
        await updateDocument(tx, document.id, { ...fields, status: 'PROCESSING' });
        return storeUnit(tx, building, { chunks, vectors: made?.vectors });
      });
      if (stored === undefined) throw new Error('A checkpoint gave no unit');
      return { building: { ...building, document: { ...document, ...fields } }, stored };
    } finally {
      await ingest.blobs.settle(staged === undefined ? [] : [staged]);
    }
  });
}

/** Builds a document step by step, from the text that this or an earlier attempt stored. */
async function readInSteps(ingest: Ingest): Promise<Building> {
  const { context, document } = ingest;
  if (document.text_blob_id !== null && document.status !== 'PROCESSING')
    await context.checkpoint({}, (tx) => updateDocument(tx, document.id, { status: 'PROCESSING' }));
  const { text, ...fields } = document.text_blob_id === null ? await read(ingest) : {};
  return { ...buildingOf(ingest, { ...document, ...fields }), text };
}

function buildingOf({ run, context, index, replacedUnit }: Ingest, document: RagDocumentsTable): Building {
  return {
    runId: run.id,
    context,
    index,
    document,
    reusedUnits: replacedUnit?.embeddingModel === index.embeddingModel ? [replacedUnit.unit] : [],
    progressOf: (step) => step,
  };
}

/** The text as it reads after storage: without byte order mark and lone surrogates. */
function asStored(text: string): string {
  return text.toWellFormed().replace(/^\uFEFF/, '');
}

async function stageText({ blobs }: Pick<Ingest, 'blobs'>, bytes: Uint8Array): Promise<StagedBlob> {
  const writer = blobs.create();
  await writer.write(bytes);
  const staged = await writer.finish();
  await blobs.flush();
  return staged;
}

/** Refers to a staged text, or to the file itself if its bytes are the text. */
async function adoptText(
  tx: Tx,
  { blobs, document }: Pick<Ingest, 'blobs' | 'document'>,
  staged: StagedBlob | undefined,
): Promise<void> {
  if (staged === undefined) await blobs.retain(tx, [document.blob_id]);
  else await blobs.adopt(tx, [staged]);
}

/** Returns the extracted text; throws RunFailure if it is empty or too long. */
function requireText({ limits: { maxCharacters: limit } }: Pick<Ingest, 'limits'>, found: Reading): ReadText {
  if ('cause' in found) throw new RunFailure(found.cause);
  if (found.text.trim() === '') throw new RunFailure(ragCauses.DOCUMENT_EMPTY.reason({}));
  const { characters } = found.receipt;
  if (characters > limit) throw new RunFailure(ragCauses.DOCUMENT_TOO_MANY_CHARACTERS.reason({ characters, limit }));
  return found;
}

type ReadFields = Pick<RagDocumentsTable, 'text_blob_id' | 'pages' | 'receipt'> & { text: string | undefined };

/** Longer texts are read again for cutting; holding those of all documents under way would need too much memory. */
const keptCharacters = 1 << 18;

/** Reads the file of a document; one that may have crashed the service before is read alone. */
async function read(ingest: Ingest): Promise<ReadFields> {
  const { document, context, lanes, limits, db, index } = ingest;
  const { knowledgeBaseId } = index;
  const { id, readings, size_bytes: size } = document;
  if (size > limits.maxBytes)
    throw new RunFailure(ragCauses.DOCUMENT_TOO_LARGE.reason({ size, limit: limits.maxBytes }));
  if (readings >= limits.maxReadings) throw new RunFailure(ragCauses.DOCUMENT_QUARANTINED.reason({ times: readings }));
  const work = async (): Promise<ReadFields> => {
    await context.checkpoint({ phase: 'READ' }, (tx) =>
      updateDocument(tx, id, { status: 'PROCESSING', readings: readings + 1 }),
    );
    try {
      return await readOnce(ingest);
    } catch (error) {
      // The service is stopping: the attempt does not count against the document.
      if (context.signal.aborted) await db.write((tx) => updateDocument(tx, id, { readings }));
      throw error;
    }
  };
  return readings === 0
    ? lanes.run({ knowledgeBaseId, sizeBytes: size }, context.signal, work)
    : lanes.runAlone(knowledgeBaseId, context.signal, work);
}

async function readOnce(ingest: Ingest): Promise<ReadFields> {
  const { document, context, blobs, index, limits } = ingest;
  const { blob_id: blobId, file_type: fileType } = document;
  const source = { blobId, fileType, htmlPart: limits.htmlPart, owner: index.knowledgeBaseId };
  const { text, pages, receipt } = requireText(ingest, await readText(ingest, source, context.signal));
  const staged = await stageText(ingest, Buffer.from(text));
  const fields = {
    text_blob_id: staged.id,
    pages: JSON.stringify(pages),
    receipt: JSON.stringify(receipt),
  };
  try {
    await context.checkpoint({}, async (tx) => {
      if ((await lockDocument(tx, document.id)) === undefined) throw new DocumentGone('The document was deleted');
      await adoptText(tx, ingest, staged);
      await updateDocument(tx, document.id, { ...fields, readings: 0 });
    });
  } finally {
    await blobs.settle([staged]);
  }
  return { ...fields, text: text.length <= keptCharacters ? asStored(text) : undefined };
}

async function finish(ingest: Ingest, { unit, chunks, receipt }: Unit & { receipt: ReadReceipt }): Promise<void> {
  const { context, document, blobs, index } = ingest;
  // An empty sheet is complete as its author left it; a page or slide without text is probably a picture.
  const isWhole = receipt.pagesIn === null || receipt.pageKind === 'sheet' || receipt.pagesOut === receipt.pagesIn;
  await context.complete(async (tx, { finishedAt }) => {
    await lockTarget(tx, ingest);
    for (const other of await listUnitsOfDocument(tx, document.id)) {
      // Units of other indexes are deleted with their index.
      if (other.unit === unit || other.index_id !== index.indexId) continue;
      await blobs.release(tx, await deleteUnit(tx, { knowledgeBaseId: index.knowledgeBaseId, unit: other.unit }));
    }
    await updateDocument(tx, document.id, {
      status: isWhole ? 'COMPLETED' : 'PARTIAL',
      ...reasonColumns('cause', null),
      unit,
      chunks,
      finished_at: finishedAt,
      ...(await ingest.following.numberFound(tx, index)),
    });
    await ingest.rebuildMore(tx, index.knowledgeBaseId);
  }, documentDone(chunks));
  ingest.wake();
  ingest.following.tellFound(index.knowledgeBaseId);
}
