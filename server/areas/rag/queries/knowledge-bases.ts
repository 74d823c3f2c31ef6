import { sql } from 'kysely';
import { offsetOf, type PageRequest, type Sort } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import { contains, dialectOf, keysTable } from '../../../storage/database/sql.ts';
import type { KnowledgeBasesTable } from '../../../storage/database/tables/rag.ts';

export async function insertKnowledgeBase(tx: Tx, row: KnowledgeBasesTable): Promise<void> {
  await tx.insertInto('knowledge_bases').values(row).execute();
}

const readKnowledgeBase = prepared<{ id: string }, KnowledgeBasesTable>((db, p) =>
  db.selectFrom('knowledge_bases').selectAll().where('id', '=', p('id')),
);

export async function findKnowledgeBase(db: Db, id: string): Promise<KnowledgeBasesTable | undefined> {
  const [row] = await readKnowledgeBase(db, { id });
  return row;
}

export async function findKnowledgeBases(db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('knowledge_bases')
    .select(['id', 'name'])
    .where(sql<boolean>`id in ${keysTable(db, ids)}`)
    .execute();
}

/** The knowledge bases that use these indexes, or whose rebuilds make them. */
export async function findBasesOfIndexes(
  db: Db,
  indexIds: readonly string[],
): Promise<{ indexId: string; id: string; name: string }[]> {
  if (indexIds.length === 0) return [];
  const keys = keysTable(db, indexIds);
  const { rows } = await sql<{ indexId: string; id: string; name: string }>`
    select index_id as "indexId", id, name from knowledge_bases where index_id in ${keys}
    union all
    select rag_rebuilds.index_id, knowledge_bases.id, knowledge_bases.name from rag_rebuilds
      join knowledge_bases on knowledge_bases.id = rag_rebuilds.knowledge_base_id
      where rag_rebuilds.index_id in ${keys}`.execute(db);
  return rows;
}

/** Like `findKnowledgeBase`, and locks the row until the end of the transaction. */
export async function lockKnowledgeBase(tx: Tx, id: string): Promise<KnowledgeBasesTable | undefined> {
  // SQLite has one writer.
  if (dialectOf(tx) === 'sqlite') return findKnowledgeBase(tx, id);
  return tx.updateTable('knowledge_bases').set({ id }).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function updateKnowledgeBase(
  tx: Tx,
  id: string,
  values: Partial<Omit<KnowledgeBasesTable, 'id'>>,
): Promise<void> {
  await tx.updateTable('knowledge_bases').set(values).where('id', '=', id).execute();
}

export async function deleteKnowledgeBase(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('knowledge_bases').where('id', '=', id).execute();
}

export type KnowledgeBaseOrder = Sort<'name' | 'created_at'>;

export async function listKnowledgeBases(
  db: Db,
  { keyword, order }: { keyword: string | undefined; order: KnowledgeBaseOrder },
  page: PageRequest,
): Promise<{ rows: KnowledgeBasesTable[]; total: number }> {
  const where =
    keyword === undefined
      ? sql<boolean>`1 = 1`
      : sql<boolean>`(${contains(db, sql`lower(name)`, keyword)} or ${contains(db, sql`lower(description)`, keyword)})`;
  const rows = await db
    .selectFrom('knowledge_bases')
    .selectAll()
    .where(where)
    .orderBy(order.column, order.direction)
    .orderBy('id', order.direction)
    .limit(page.size)
    .offset(offsetOf(page))
    .execute();
  const { total } = await db
    .selectFrom('knowledge_bases')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(where)
    .executeTakeFirstOrThrow();
  return { rows, total };
}

/** Allocates the next unit number; undefined if the knowledge base does not exist. */
export async function nextUnit(tx: Tx, knowledgeBaseId: string): Promise<number | undefined> {
  const [row] = await countUnit(tx, { id: knowledgeBaseId });
  return row?.last_unit;
}

const countUnit = prepared<{ id: string }, { last_unit: number }>(
  (_, p) => sql`update knowledge_bases set last_unit = last_unit + 1 where id = ${p('id')} returning last_unit`,
);

export type DocumentCounts = {
  knowledgeBaseId: string;
  status: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'PARTIAL' | 'FAILED';
  documents: number;
  chunks: number;
};

/** Numbers of documents and chunks by status. */
export async function countDocuments(db: Db, knowledgeBaseIds: readonly string[]): Promise<DocumentCounts[]> {
  const { rows } = await sql<DocumentCounts>`
    select knowledge_base_id as "knowledgeBaseId", status, count(*) as documents, coalesce(sum(chunks), 0) as chunks
    from rag_documents where knowledge_base_id in ${keysTable(db, knowledgeBaseIds)}
    group by knowledge_base_id, status`.execute(db);
  return rows;
}
