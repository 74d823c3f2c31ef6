import type { Reason } from '../../kernel/sentences/index.ts';
import { RunFailure } from '../../runs/index.ts';
import type { StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { Tx } from '../../storage/database/database.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import { wordsOf } from './chunk-words.ts';
import { listUnitsOfDocument } from './queries/chunks.ts';
import { lockDocument, updateDocument } from './queries/documents.ts';
import { readPlainFile, readText, type Reading, type ReadReceipt, type ReadText } from './reading.ts';
import { ragCauses } from './sentences.ts';
import { storedTextOf } from './stored-text.ts';
import { chunksAtOnce, cut, storeUnit } from './unit-building.ts';
import { DocumentGone, isFree, lockTarget, requireDimensions, type Building, type NewUnit } from './building.ts';
import type { Ingest } from './ingest.ts';

/** Larger texts are stored before they are cut; holding those of all documents under way would need too much memory. */
const mostBytesAtOnce = 1 << 17;

/**
 * Reads, cuts and (if free) embeds a small plain text, then stores everything in one transaction. Nothing in it can
 * crash the service, so it does not count as a reading attempt. Returns undefined for all other documents.
 */
export async function readAtOnce(ingest: Ingest): Promise<{ building: Building; stored: NewUnit } | undefined> {
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
export async function readInSteps(ingest: Ingest): Promise<Building> {
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

/** A document without text, and the receipt of what was found in it. */
export class UnreadDocument extends RunFailure {
  readonly receipt: ReadReceipt | undefined;
  constructor(cause: Reason, receipt: ReadReceipt | undefined) {
    super(cause);
    this.receipt = receipt;
  }
}

/** Returns the extracted text; throws RunFailure if it is empty or too long. */
function requireText({ limits: { maxCharacters: limit } }: Pick<Ingest, 'limits'>, found: Reading): ReadText {
  if ('cause' in found) throw new UnreadDocument(found.cause, found.receipt);
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
      if ((await lockDocument(tx, document.id)) === undefined)
        throw new DocumentGone(ragCauses.DOCUMENT_DELETED.reason({}));
      await adoptText(tx, ingest, staged);
      await updateDocument(tx, document.id, { ...fields, readings: 0 });
    });
  } finally {
    await blobs.settle([staged]);
  }
  return { ...fields, text: text.length <= keptCharacters ? asStored(text) : undefined };
}
