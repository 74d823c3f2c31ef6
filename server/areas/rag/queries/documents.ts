import { sql } from 'kysely';
import { offsetOf, type PageRequest, type Sort } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { insertRows } from '../../../storage/database/insert-rows.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import { contains, dialectOf, keysTable } from '../../../storage/database/sql.ts';
import type { RagDocumentsTable } from '../../../storage/database/tables/rag.ts';

export const insertDocuments: (tx: Tx, rows: readonly RagDocumentsTable[]) => Promise<void> = insertRows(
  'rag_documents',
  {
    id: 'text',
    knowledge_base_id: 'text',
    name: 'text',
    file_type: 'text',
    size_bytes: 'integer',
    crc32: 'integer',
    blob_id: 'text',
    dataset_id: 'text',
    file_id: 'text',
    dataset_version: 'integer',
    tags: 'text',
    metadata: 'text',
    status: 'text',
    cause: 'text',
    cause_sentence: 'text',
    readings: 'integer',
    text_blob_id: 'text',
    pages: 'text',
    receipt: 'text',
    unit: 'integer',
    chunks: 'integer',
    next_unit: 'integer',
    next_chunks: 'integer',
    next_cause: 'text',
    next_cause_sentence: 'text',
    found_revision: 'integer',
    next_found_revision: 'integer',
    created_at: 'text',
    created_by: 'text',
    finished_at: 'text',
  },
);

export async function countDocumentsOf(db: Db, knowledgeBaseId: string): Promise<number> {
  const { total } = await db
    .selectFrom('rag_documents')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .executeTakeFirstOrThrow();
  return total;
}

const readDocument = prepared<{ id: string }, RagDocumentsTable>((db, p) =>
  db.selectFrom('rag_documents').selectAll().where('id', '=', p('id')),
);

export async function findDocument(db: Db, id: string): Promise<RagDocumentsTable | undefined> {
  const [row] = await readDocument(db, { id });
  return row;
}

export async function findDocuments(
  db: Db,
  ids: readonly string[],
): Promise<Pick<RagDocumentsTable, 'id' | 'knowledge_base_id' | 'name' | 'blob_id'>[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('rag_documents')
    .select(['id', 'knowledge_base_id', 'name', 'blob_id'])
    .where(sql<boolean>`id in ${keysTable(db, ids)}`)
    .execute();
}

/**
 * For each document, the earliest other document of its knowledge base with the same size and CRC-32, if there is one.
 */
export async function listSameContent(db: Db, ids: readonly string[]): Promise<{ id: string; other: string }[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string; other: string | null }>`select own.id as id, (
      select other.id from rag_documents as other
      where other.knowledge_base_id = own.knowledge_base_id and other.size_bytes = own.size_bytes
        and other.crc32 = own.crc32 and (other.created_at, other.id) < (own.created_at, own.id)
      order by other.created_at, other.id limit 1
    ) as other from rag_documents as own where own.id in ${keysTable(db, ids)}`.execute(db);
  return rows.flatMap(({ id, other }) => (other === null ? [] : [{ id, other }]));
}

/** Like `findDocument`, and locks the row until the end of the transaction. */
export async function lockDocument(tx: Tx, id: string): Promise<RagDocumentsTable | undefined> {
  // SQLite has one writer.
  if (dialectOf(tx) === 'sqlite') return findDocument(tx, id);
  return tx.updateTable('rag_documents').set({ id }).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function updateDocument(
  tx: Tx,
  id: string,
  values: Partial<Omit<RagDocumentsTable, 'id'>>,
): Promise<void> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const columns = given.map(([name]) => name).toSorted();
  await updateOf(columns)(tx, { ...Object.fromEntries(given), id });
}

type Update = ReturnType<typeof prepared<Record<string, string | number | null>, never>>;
const updates = new Map<string, Update>();

/** The statement that sets these columns. */
function updateOf(columns: readonly string[]): Update {
  const key = columns.join();
  const known = updates.get(key);
  if (known !== undefined) return known;
  const made: Update = prepared((_, p) => {
    const changes = columns.map((name) => sql`${sql.ref(name)} = ${p(name)}`);
    return sql`update rag_documents set ${sql.join(changes)} where id = ${p('id')}`;
  });
  updates.set(key, made);
  return made;
}

export async function deleteDocument(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('rag_documents').where('id', '=', id).execute();
}

/** The ids among `ids` that are documents of a knowledge base. */
export async function listKnownDocuments(
  db: Db,
  knowledgeBaseId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`select id from rag_documents
    where knowledge_base_id = ${knowledgeBaseId} and id in ${keysTable(db, ids)}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Up to `limit` documents of a knowledge base, in no particular order. */
export async function listSomeDocuments(db: Db, knowledgeBaseId: string, limit: number): Promise<RagDocumentsTable[]> {
  return db
    .selectFrom('rag_documents')
    .selectAll()
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .limit(limit)
    .execute();
}

export type DocumentFilter = {
  knowledgeBaseId: string;
  status?: RagDocumentsTable['status'] | undefined;
  keyword?: string | undefined;
  /** State of the document in the rebuild. */
  rebuild?: 'PENDING' | 'COMPLETED' | 'FAILED' | undefined;
};

const rebuildConditions = {
  PENDING: sql`(unit is not null and next_unit is null and next_cause is null)`,
  COMPLETED: sql`next_unit is not null`,
  FAILED: sql`(next_unit is null and next_cause is not null)`,
};

export type DocumentOrder = Sort<'name' | 'size_bytes' | 'status' | 'chunks' | 'created_at'>;

const orderColumns = {
  name: sql`name`,
  size_bytes: sql`size_bytes`,
  // Documents that need attention are grouped together.
  status: sql`case status when 'PENDING' then 0 when 'PROCESSING' then 1 when 'FAILED' then 2 when 'PARTIAL' then 3 else 4 end`,
  chunks: sql`chunks`,
  created_at: sql`created_at`,
} as const satisfies Record<DocumentOrder['column'], unknown>;

/** Documents with equal sort values are ordered by when they were added. */
export async function listDocuments(
  db: Db,
  { knowledgeBaseId, status, keyword, rebuild }: DocumentFilter,
  { column, direction }: DocumentOrder,
  { page, size }: PageRequest,
): Promise<{ rows: RagDocumentsTable[]; total: number }> {
  const conditions = [sql`knowledge_base_id = ${knowledgeBaseId}`];
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (keyword !== undefined) conditions.push(contains(db, sql`lower(name)`, keyword));
  if (rebuild !== undefined) conditions.push(rebuildConditions[rebuild]);
  const where = sql`${sql.join(conditions, sql` and `)}`;
  const way = direction === 'asc' ? sql`asc` : sql`desc`;
  const order = sql`${orderColumns[column]} ${way}, created_at ${way}, id ${way}`;
  // Whole rows are read only for the page, because receipts are large.
  const { rows } = await sql<RagDocumentsTable>`select * from rag_documents
    where id in (select id from rag_documents where ${where} order by ${order} limit ${size} offset ${offsetOf({ page, size })})
    order by ${order}`.execute(db);
  const counted = await sql<{ total: number }>`select count(*) as total from rag_documents where ${where}`.execute(db);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

export async function findKnowledgeBaseName(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('knowledge_bases').select('name').where('id', '=', id).executeTakeFirst();
  return row?.name;
}

/** Documents made from files of a dataset, with their knowledge bases. */
export async function listDocumentsOfFiles(
  db: Db,
  datasetId: string,
  fileIds: readonly string[],
): Promise<{ id: string; knowledgeBaseId: string; name: string }[]> {
  return db
    .selectFrom('rag_documents')
    .innerJoin('knowledge_bases', 'knowledge_bases.id', 'rag_documents.knowledge_base_id')
    .select(['rag_documents.id', 'rag_documents.knowledge_base_id as knowledgeBaseId', 'knowledge_bases.name'])
    .where('dataset_id', '=', datasetId)
    .where(sql<boolean>`file_id in ${keysTable(db, fileIds)}`)
    .orderBy('knowledge_bases.name')
    .orderBy('rag_documents.id')
    .execute();
}

/** The files, texts and kept vectors of documents. */
export async function listBlobsOfDocuments(db: Db, knowledgeBaseId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string | null }>`
    select blob_id as id from rag_documents where id in ${keysTable(db, ids)}
    union select text_blob_id from rag_documents where id in ${keysTable(db, ids)}
    union select rag_vectors.blob_id from rag_vectors join rag_units
      on rag_units.knowledge_base_id = rag_vectors.knowledge_base_id and rag_units.unit = rag_vectors.unit
      where rag_units.knowledge_base_id = ${knowledgeBaseId} and rag_units.document_id in ${keysTable(db, ids)}`.execute(
    db,
  );
  return rows.flatMap(({ id }) => id ?? []);
}
