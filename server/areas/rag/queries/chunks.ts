import { sql } from 'kysely';
import { offsetOf, type PageRequest } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { insertRows } from '../../../storage/database/insert-rows.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import { jsonRowsOf, jsonRowsTable } from '../../../storage/database/sql.ts';
import type { RagChunksTable, RagUnitsTable, RagVectorsTable } from '../../../storage/database/tables/rag.ts';

export type UnitKey = { knowledgeBaseId: string; unit: number };

const addUnit = prepared<RagUnitsTable, never>(
  (_, p) => sql`insert into rag_units (knowledge_base_id, unit, index_id, document_id, chunks)
    values (${p('knowledge_base_id')}, ${p('unit')}, ${p('index_id')}, ${p('document_id')}, ${p('chunks')})`,
);

export async function insertUnit(tx: Tx, row: RagUnitsTable): Promise<void> {
  await addUnit(tx, row);
}

const readUnits = prepared<{ id: string }, RagUnitsTable>((db, p) =>
  db.selectFrom('rag_units').selectAll().where('document_id', '=', p('id')).orderBy('unit'),
);

export function listUnitsOfDocument(db: Db, documentId: string): Promise<RagUnitsTable[]> {
  return readUnits(db, { id: documentId });
}

/** The units of an index, complete or in the making. */
export async function listUnitNumbers(db: Db, indexId: string): Promise<number[]> {
  const rows = await db.selectFrom('rag_units').select('unit').where('index_id', '=', indexId).execute();
  return rows.map(({ unit }) => unit);
}

export const insertChunks: (tx: Tx, rows: readonly RagChunksTable[]) => Promise<void> = insertRows('rag_chunks', {
  knowledge_base_id: 'text',
  unit: 'integer',
  chunk_no: 'integer',
  text: 'text',
  start_at: 'integer',
  end_at: 'integer',
  page: 'integer',
  pages: 'text',
  headings: 'text',
});

/** Chunks of a unit from a chunk number on, in order. */
export async function listChunks(
  db: Db,
  { knowledgeBaseId, unit }: UnitKey,
  { from, limit }: { from: number; limit: number },
): Promise<RagChunksTable[]> {
  return db
    .selectFrom('rag_chunks')
    .selectAll()
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('unit', '=', unit)
    .where('chunk_no', '>=', from)
    .orderBy('chunk_no')
    .limit(limit)
    .execute();
}

export function listChunkPage(db: Db, key: UnitKey, { page, size }: PageRequest): Promise<RagChunksTable[]> {
  return listChunks(db, key, { from: offsetOf({ page, size }), limit: size });
}

const placeColumns = { unit: 'integer', place: 'integer' } as const;

// SQLite keeps the order of a cross join; the reverse order would read all chunks of the knowledge base.
const readChunks = prepared<{ knowledgeBaseId: string; places: string }, RagChunksTable>(
  (
    db,
    p,
  ) => sql`select rag_chunks.* from ${jsonRowsTable(db, placeColumns, p('places'), 'wanted')} cross join rag_chunks
    where rag_chunks.knowledge_base_id = ${p('knowledgeBaseId')} and rag_chunks.unit = wanted.unit
      and rag_chunks.chunk_no = wanted.place`,
);

/** Finds chunks by unit and number, in no particular order. */
export async function findChunks(
  db: Db,
  knowledgeBaseId: string,
  places: readonly { unit: number; ordinal: number }[],
): Promise<RagChunksTable[]> {
  if (places.length === 0) return [];
  const rows = places.map(({ unit, ordinal }) => ({ unit, place: ordinal }));
  return readChunks(db, { knowledgeBaseId, places: jsonRowsOf(placeColumns, rows) });
}

export async function insertVectors(tx: Tx, row: RagVectorsTable): Promise<void> {
  await tx.insertInto('rag_vectors').values(row).execute();
}

/** The stored vectors of a unit, in chunk order. */
export async function listVectors(db: Db, { knowledgeBaseId, unit }: UnitKey): Promise<RagVectorsTable[]> {
  return db
    .selectFrom('rag_vectors')
    .selectAll()
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('unit', '=', unit)
    .orderBy('first_chunk')
    .execute();
}

/** Any one unit of an index. */
export async function findUnitOfIndex(db: Db, indexId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('rag_units')
    .select('unit')
    .where('index_id', '=', indexId)
    .limit(1)
    .executeTakeFirst();
  return row?.unit;
}

/** Deletes up to `limit` chunks from the start of a unit; returns how many. */
export async function deleteSomeChunks(tx: Tx, { knowledgeBaseId, unit }: UnitKey, limit: number): Promise<number> {
  const ofUnit = { knowledge_base_id: knowledgeBaseId, unit };
  const first = await tx
    .selectFrom('rag_chunks')
    .select('chunk_no')
    .where((eb) => eb.and(ofUnit))
    .orderBy('chunk_no')
    .limit(1)
    .executeTakeFirst();
  if (first === undefined) return 0;
  const { numDeletedRows } = await tx
    .deleteFrom('rag_chunks')
    .where((eb) => eb.and(ofUnit))
    .where('chunk_no', '<', first.chunk_no + limit)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes a unit with its chunks; the caller releases the returned blobs of its vectors. */
export async function deleteUnit(tx: Tx, key: UnitKey): Promise<string[]> {
  const vectors = await listVectors(tx, key);
  for (const table of ['rag_chunks', 'rag_vectors', 'rag_units'] as const) {
    await tx
      .deleteFrom(table)
      .where('knowledge_base_id', '=', key.knowledgeBaseId)
      .where('unit', '=', key.unit)
      .execute();
  }
  return vectors.map(({ blob_id }) => blob_id);
}
