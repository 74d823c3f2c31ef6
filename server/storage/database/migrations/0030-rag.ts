import type { MigrationStep } from './migration-step.ts';

/** Knowledge bases with their documents, chunks and vectors. */
export const createRag: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .createTable('knowledge_bases')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('embedding_model', text, (column) => column.notNull())
    .addColumn('dimensions', integer)
    .addColumn('chunking', text, (column) => column.notNull())
    .addColumn('last_unit', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('updated_at', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('knowledge_bases_by_name').on('knowledge_bases').columns(['name']).unique().execute();

  await db.schema
    .createTable('rag_documents')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('knowledge_base_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('file_type', text, (column) => column.notNull())
    .addColumn('size_bytes', integer, (column) => column.notNull())
    .addColumn('blob_id', text, (column) => column.notNull())
    .addColumn('dataset_id', text)
    .addColumn('file_id', text)
    .addColumn('dataset_version', integer)
    .addColumn('tags', text, (column) => column.notNull())
    .addColumn('metadata', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('cause', text)
    .addColumn('text_blob_id', text)
    .addColumn('pages', text)
    .addColumn('receipt', text)
    .addColumn('unit', integer)
    .addColumn('chunks', integer, (column) => column.notNull())
    .addColumn('created_at', text, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('finished_at', text)
    .execute();
  await db.schema
    .createIndex('rag_documents_by_time')
    .on('rag_documents')
    .columns(['knowledge_base_id', 'created_at', 'id'])
    .execute();
  await db.schema
    .createIndex('rag_documents_by_unit')
    .on('rag_documents')
    .columns(['knowledge_base_id', 'unit'])
    .execute();

  await db.schema
    .createTable('rag_units')
    .addColumn('knowledge_base_id', text, (column) => column.notNull())
    .addColumn('unit', integer, (column) => column.notNull())
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('chunks', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('rag_units_key', ['knowledge_base_id', 'unit'])
    .execute();
  await db.schema.createIndex('rag_units_by_document').on('rag_units').columns(['document_id']).execute();

  await db.schema
    .createTable('rag_chunks')
    .addColumn('knowledge_base_id', text, (column) => column.notNull())
    .addColumn('unit', integer, (column) => column.notNull())
    .addColumn('chunk_no', integer, (column) => column.notNull())
    .addColumn('text', text, (column) => column.notNull())
    .addColumn('start_at', integer, (column) => column.notNull())
    .addColumn('end_at', integer, (column) => column.notNull())
    .addColumn('page', integer)
    .addColumn('headings', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('rag_chunks_key', ['knowledge_base_id', 'unit', 'chunk_no'])
    .execute();

  await db.schema
    .createTable('rag_vectors')
    .addColumn('knowledge_base_id', text, (column) => column.notNull())
    .addColumn('unit', integer, (column) => column.notNull())
    .addColumn('first_chunk', integer, (column) => column.notNull())
    .addColumn('chunks', integer, (column) => column.notNull())
    .addColumn('blob_id', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('rag_vectors_key', ['knowledge_base_id', 'unit', 'first_chunk'])
    .execute();
};
