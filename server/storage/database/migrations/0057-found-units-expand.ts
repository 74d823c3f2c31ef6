import { sql } from 'kysely';
import type { MigrationStep } from './migration-step.ts';

/** Documents are numbered per index when they become searchable, so that nodes can tell what their copies of the index lack. */
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
  // Empty if one process has the indexes to itself and assigns no numbers.
  for (const column of ['found_revision', 'next_found_revision'])
    await sql`create index ${sql.ref(`rag_documents_by_${column}`)} on rag_documents
      (knowledge_base_id, ${sql.ref(column)}) where ${sql.ref(column)} > 0`.execute(db);
};
