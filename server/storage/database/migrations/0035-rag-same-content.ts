import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Finds documents of a knowledge base with equal bytes by size and checksum. */
export const findSameContent: MigrationStep = async (db, { integer }) => {
  await db.schema
    .alterTable('rag_documents')
    .addColumn('crc32', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update rag_documents
    set crc32 = coalesce((select crc32 from blobs where blobs.id = rag_documents.blob_id), 0)`.execute(db);
  await db.schema
    .createIndex('rag_documents_by_content')
    .on('rag_documents')
    .columns(['knowledge_base_id', 'size_bytes', 'crc32', 'created_at', 'id'])
    .execute();
};
