import type { Database } from '../../../storage/database/database.ts';
import { chunkIdOf } from '../document-views.ts';
import { findChunks } from '../queries/chunks.ts';
import { findDocumentsOfUnits } from '../queries/found-units.ts';
import type { RagIndex } from '../queries/indexes.ts';

/** Ranges of chunks in their documents, by chunk id. */
export type RelevantPlaces = ReadonlyMap<string, { documentId: string; start: number; end: number }>;

/** The ranges of chunks of an index, to match them with another chunking of the same texts. */
export async function findRelevantPlaces(
  db: Pick<Database, 'read'>,
  index: RagIndex,
  chunkIds: readonly string[],
): Promise<RelevantPlaces> {
  const wanted = [...new Set(chunkIds)].flatMap((id) => {
    const [unit, ordinal] = id.split('-').map(Number);
    return Number.isInteger(unit) && Number.isInteger(ordinal) ? [{ unit: unit ?? 0, ordinal: ordinal ?? 0 }] : [];
  });
  const units = [...new Set(wanted.map(({ unit }) => unit))];
  const documents = new Map((await findDocumentsOfUnits(db.read, index, units)).map((one) => [one.unit, one.id]));
  const places = new Map<string, { documentId: string; start: number; end: number }>();
  for (const row of await findChunks(db.read, index.knowledgeBaseId, wanted)) {
    const documentId = documents.get(row.unit);
    const place = { start: row.start_at, end: row.end_at };
    if (documentId !== undefined)
      places.set(chunkIdOf({ unit: row.unit, ordinal: row.chunk_no }), { documentId, ...place });
  }
  return places;
}

/** The id of the relevant chunk that shares at least half of the shorter range with a hit; else the hit's own id. */
export function nameOfHit(
  hit: { chunkId: string; documentId: string; start: number; end: number },
  relevant: ReadonlySet<string>,
  places: RelevantPlaces,
): string {
  for (const id of relevant) {
    const place = places.get(id);
    if (place?.documentId !== hit.documentId) continue;
    const common = Math.min(place.end, hit.end) - Math.max(place.start, hit.start);
    if (2 * common >= Math.min(place.end - place.start, hit.end - hit.start)) return id;
  }
  return hit.chunkId;
}
