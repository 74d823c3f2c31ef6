import { reasonOf } from '../../kernel/reasoned-error.ts';
import { RunFailure } from '../../runs/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import { IndexFailure, type VectorIndex } from '../../storage/vectors/index.ts';
import { indexedOf } from './chunk-words.ts';
import { ChunksRepeatError, maxRepetition, type Chunk, type Chunking } from '../../chunking/chunking.ts';
import { insertChunks, insertUnit, listChunks, listUnitsOfDocument, listVectors } from './queries/chunks.ts';
import { nextUnit } from './queries/knowledge-bases.ts';
import { ragCauses } from './sentences.ts';
import { readStoredText, storedTextOf, type StoredText } from './stored-text.ts';
import {
  type BuildingServices,
  type Building,
  type Unit,
  type CutText,
  type NewUnit,
  lockTarget,
  gone,
  isFree,
} from './building.ts';
import { openReused, embed } from './unit-vectors.ts';

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
    pages: one.pages === undefined ? null : JSON.stringify(one.pages),
    headings: JSON.stringify(one.headings),
  }));
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await insertChunks(tx, rows.slice(from, from + rowsAtOnce));
  return { unit, chunks: rows.length, rows, vectors };
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
