import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** A knowledge base may have a second index that is being built beside the one in use. */
export const createRagRebuilds: MigrationStep = async (db, { text, integer }) => {
  await db.schema
    .alterTable('knowledge_bases')
    .addColumn('index_id', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`update knowledge_bases set index_id = id`.execute(db);
  await db.schema
    .alterTable('rag_units')
    .addColumn('index_id', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`update rag_units set index_id = knowledge_base_id`.execute(db);
  await db.schema.createIndex('rag_units_by_index').on('rag_units').columns(['index_id', 'unit']).execute();

  await db.schema.alterTable('rag_documents').addColumn('next_unit', integer).execute();
  await db.schema
    .alterTable('rag_documents')
    .addColumn('next_chunks', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('rag_documents').addColumn('next_cause', text).execute();

  await db.schema
    .createIndex('rag_documents_by_next_unit')
    .on('rag_documents')
    .columns(['knowledge_base_id', 'next_unit'])
    .execute();

  await db.schema
    .createTable('rag_rebuilds')
    .addColumn('knowledge_base_id', text, (column) => column.primaryKey())
    .addColumn('index_id', text, (column) => column.notNull())
    .addColumn('embedding_model', text, (column) => column.notNull())
    .addColumn('dimensions', integer)
    .addColumn('chunking', text, (column) => column.notNull())
    .addColumn('switch', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('cause', text)
    .addColumn('started_at', text, (column) => column.notNull())
    .addColumn('started_by', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('rag_disposals')
    .addColumn('index_id', text, (column) => column.primaryKey())
    .addColumn('knowledge_base_id', text, (column) => column.notNull())
    .execute();
};
