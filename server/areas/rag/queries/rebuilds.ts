import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import { keysTable } from '../../../storage/database/sql.ts';
import type { RagDisposalsTable, RagDocumentsTable, RagRebuildsTable } from '../../../storage/database/tables/rag.ts';

export async function insertRebuild(tx: Tx, row: RagRebuildsTable): Promise<void> {
  await tx.insertInto('rag_rebuilds').values(row).execute();
}

const readRebuild = prepared<{ id: string }, RagRebuildsTable>((db, p) =>
  db.selectFrom('rag_rebuilds').selectAll().where('knowledge_base_id', '=', p('id')),
);

export async function findRebuild(db: Db, knowledgeBaseId: string): Promise<RagRebuildsTable | undefined> {
  const [row] = await readRebuild(db, { id: knowledgeBaseId });
  return row;
}

export async function listRebuilds(db: Db, knowledgeBaseIds: readonly string[]): Promise<RagRebuildsTable[]> {
  if (knowledgeBaseIds.length === 0) return [];
  return db
    .selectFrom('rag_rebuilds')
    .selectAll()
    .where('knowledge_base_id', 'in', [...knowledgeBaseIds])
    .execute();
}

export async function findRebuildOfIndex(db: Db, indexId: string): Promise<RagRebuildsTable | undefined> {
  return db.selectFrom('rag_rebuilds').selectAll().where('index_id', '=', indexId).executeTakeFirst();
}

export async function updateRebuild(
  tx: Tx,
  indexId: string,
  values: Partial<Omit<RagRebuildsTable, 'knowledge_base_id' | 'index_id'>>,
): Promise<void> {
  await tx.updateTable('rag_rebuilds').set(values).where('index_id', '=', indexId).execute();
}

export async function deleteRebuild(tx: Tx, knowledgeBaseId: string): Promise<void> {
  await tx.deleteFrom('rag_rebuilds').where('knowledge_base_id', '=', knowledgeBaseId).execute();
}

/** Progress of a rebuild: documents with a unit in the current index, in the new index, and those that failed. */
export type RebuildCounts = {
  knowledgeBaseId: string;
  total: number;
  done: number;
  failed: number;
  chunks: number;
};

export async function countRebuilt(db: Db, knowledgeBaseIds: readonly string[]): Promise<RebuildCounts[]> {
  const { rows } = await sql<RebuildCounts>`
    select knowledge_base_id as "knowledgeBaseId", count(*) as total,
      sum(case when next_unit is null then 0 else 1 end) as done,
      sum(case when next_unit is null and next_cause is not null then 1 else 0 end) as failed,
      sum(next_chunks) as chunks
    from rag_documents where unit is not null and knowledge_base_id in ${keysTable(db, knowledgeBaseIds)}
    group by knowledge_base_id`.execute(db);
  return rows;
}

/** Documents that a rebuild has neither indexed nor failed, oldest first, after `after`. */
export async function listDocumentsToRebuild(
  db: Db,
  knowledgeBaseId: string,
  { after, limit }: { after?: { created_at: string; id: string } | undefined; limit: number },
): Promise<RagDocumentsTable[]> {
  const rest = after === undefined ? sql`1 = 1` : sql`(created_at, id) > (${after.created_at}, ${after.id})`;
  const { rows } = await sql<RagDocumentsTable>`select * from rag_documents
    where knowledge_base_id = ${knowledgeBaseId} and ${rest}
      and unit is not null and next_unit is null and next_cause is null
    order by created_at, id limit ${limit}`.execute(db);
  return rows;
}

/** Clears the rebuild's results from all documents. */
export async function forgetRebuilt(tx: Tx, knowledgeBaseId: string): Promise<void> {
  await tx
    .updateTable('rag_documents')
    .set({ next_unit: null, next_chunks: 0, next_cause: null, next_cause_sentence: null, next_found_revision: 0 })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .execute();
}

/** Clears the rebuild's failures, so that it tries these documents again. */
export async function forgetFailures(tx: Tx, knowledgeBaseId: string): Promise<void> {
  await tx
    .updateTable('rag_documents')
    .set({ next_cause: null, next_cause_sentence: null })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('next_cause', 'is not', null)
    .execute();
}

/** Makes searches find the rebuild's chunks in place of the old ones; documents that it could not index fail. */
export async function useRebuilt(tx: Tx, knowledgeBaseId: string): Promise<void> {
  const isLost = sql`unit is not null and next_unit is null and status in ('COMPLETED', 'PARTIAL')`;
  await sql`update rag_documents set
      status = case when ${isLost} then 'FAILED' else status end,
      cause = case when ${isLost} then next_cause else cause end,
      cause_sentence = case when ${isLost} then next_cause_sentence else cause_sentence end,
      unit = next_unit, chunks = next_chunks, found_revision = next_found_revision,
      next_unit = null, next_chunks = 0, next_cause = null, next_cause_sentence = null, next_found_revision = 0
    where knowledge_base_id = ${knowledgeBaseId}`.execute(tx);
}

export async function insertDisposal(tx: Tx, row: RagDisposalsTable): Promise<void> {
  await tx.insertInto('rag_disposals').values(row).execute();
}

export async function listDisposals(db: Db): Promise<RagDisposalsTable[]> {
  return db.selectFrom('rag_disposals').selectAll().orderBy('index_id').execute();
}

/** The units of a document in disposed indexes of a model, whose vectors are still kept. */
export async function listKeptUnits(
  db: Db,
  { documentId, embeddingModel }: { documentId: string; embeddingModel: string },
): Promise<number[]> {
  const { rows } = await sql<{ unit: number }>`select rag_units.unit from rag_units
    join rag_disposals on rag_disposals.index_id = rag_units.index_id
    where rag_units.document_id = ${documentId} and rag_disposals.embedding_model = ${embeddingModel}
      and rag_disposals.keep_until is not null order by rag_units.unit`.execute(db);
  return rows.map(({ unit }) => unit);
}

/** Locks a disposal until the end of the transaction; returns false if it is already done. */
export async function lockDisposal(tx: Tx, indexId: string): Promise<boolean> {
  const row = await tx
    .updateTable('rag_disposals')
    .set({ index_id: indexId })
    .where('index_id', '=', indexId)
    .returning('index_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteDisposal(tx: Tx, indexId: string): Promise<void> {
  await tx.deleteFrom('rag_disposals').where('index_id', '=', indexId).execute();
}
