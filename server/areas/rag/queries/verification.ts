import { sql } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';
import { keysTable } from '../../../storage/database/sql.ts';
import type { RagIndex } from './indexes.ts';

/** A blob of a document: its file, its extracted text, or vectors of its chunks. */
export type BlobDocument = {
  blobId: string;
  holds: 'FILE' | 'TEXT' | 'VECTORS';
  documentId: string;
  documentName: string;
  knowledgeBaseId: string;
};

const held = sql`(
  select blob_id, 'FILE' as holds, id as document_id from rag_documents
  union all select text_blob_id, 'TEXT', id from rag_documents where text_blob_id is not null
  union all select rag_vectors.blob_id, 'VECTORS', rag_units.document_id from rag_vectors
    join rag_units on rag_units.knowledge_base_id = rag_vectors.knowledge_base_id and rag_units.unit = rag_vectors.unit
) as held`;

const columns = sql`held.blob_id as "blobId", held.holds, rag_documents.id as "documentId",
  rag_documents.name as "documentName", rag_documents.knowledge_base_id as "knowledgeBaseId"`;

/** The documents that hold one of the blobs. Scans all documents once. */
export async function listBlobDocuments(db: Db, blobIds: readonly string[]): Promise<BlobDocument[]> {
  const { rows } = await sql<BlobDocument>`select ${columns} from ${held}
    join rag_documents on rag_documents.id = held.document_id
    where held.blob_id in ${keysTable(db, blobIds)} order by 1, 2, 3`.execute(db);
  return rows;
}

/** References from documents to blobs missing from the storage's records. */
export async function listDocumentsWithoutBlob(db: Db, limit: number): Promise<BlobDocument[]> {
  const { rows } = await sql<BlobDocument>`select ${columns} from ${held}
    join rag_documents on rag_documents.id = held.document_id
    left join blobs on blobs.id = held.blob_id
    where blobs.id is null order by 1, 2, 3 limit ${limit}`.execute(db);
  return rows;
}

/** Number of references from documents per blob, ordered by id, after `afterId`. Scans all documents once per page. */
export async function listDocumentReferences(
  db: Db,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<{ blobId: string; references: number }[]> {
  const { rows } = await sql<{ blobId: string; references: number }>`
    select blob_id as "blobId", count(*) as "references" from ${held}
    where blob_id > ${afterId} group by blob_id order by blob_id limit ${limit}`.execute(db);
  return rows;
}

/** A searchable unit: chunks that its document records, chunks in the database, and the highest chunk number. */
export type StoredUnit = {
  unit: number;
  documentId: string;
  documentName: string;
  told: number;
  chunks: number;
  highest: number;
};

/** The units that documents name in an index, in order, after `afterUnit`. */
export async function listStoredUnits(
  db: Db,
  { knowledgeBaseId, unitColumn }: RagIndex,
  { afterUnit, limit }: { afterUnit: number; limit: number },
): Promise<StoredUnit[]> {
  const unit = sql.ref(`rag_documents.${unitColumn}`);
  const told = sql.ref(unitColumn === 'unit' ? 'rag_documents.chunks' : 'rag_documents.next_chunks');
  const { rows } = await sql<StoredUnit>`
    select ${unit} as unit, rag_documents.id as "documentId", rag_documents.name as "documentName", ${told} as told,
      (select count(*) from rag_chunks where knowledge_base_id = ${knowledgeBaseId} and rag_chunks.unit = ${unit}) as chunks,
      (select coalesce(max(chunk_no), -1) from rag_chunks
        where knowledge_base_id = ${knowledgeBaseId} and rag_chunks.unit = ${unit}) as highest
    from rag_documents where knowledge_base_id = ${knowledgeBaseId} and ${unit} > ${afterUnit}
    order by ${unit} limit ${limit}`.execute(db);
  return rows;
}

/** Names of all knowledge bases. */
export async function listKnowledgeBaseNames(db: Db): Promise<{ id: string; name: string }[]> {
  return db.selectFrom('knowledge_bases').select(['id', 'name']).orderBy('id').execute();
}
