import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Documents are numbered as searches find them, in each index by itself, so that nodes see what their copies of it miss. */
export const numberFoundUnits: MigrationStep = async (db, { integer }) => {
  for (const table of ['knowledge_bases', 'rag_rebuilds', 'rag_documents'])
    await db.schema
      .alterTable(table)
      .addColumn('found_revision', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  await db.schema
    .alterTable('rag_documents')
    .addColumn('next_found_revision', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  // Without rows where one process has the indexes to itself, and numbers nothing.
  for (const column of ['found_revision', 'next_found_revision'])
    await sql`create index ${sql.ref(`rag_documents_by_${column}`)} on rag_documents
      (knowledge_base_id, ${sql.ref(column)}) where ${sql.ref(column)} > 0`.execute(db);
};
