import type { Db, Tx } from '../../../storage/database/database.ts';
import { insertRows } from '../../../storage/database/insert-rows.ts';
import type { CollectionNotesTable } from '../../../storage/database/tables/data-collection.ts';

export const insertNotes: (tx: Tx, rows: readonly CollectionNotesTable[]) => Promise<void> = insertRows(
  'collection_notes',
  { run_id: 'text', item_no: 'integer', note: 'text' },
);

/** Notes after an item, in order. */
export async function listNotes(db: Db, runId: string, after: number, limit: number): Promise<CollectionNotesTable[]> {
  return db
    .selectFrom('collection_notes')
    .selectAll()
    .where('run_id', '=', runId)
    .where('item_no', '>', after)
    .orderBy('item_no')
    .limit(limit)
    .execute();
}

/** Moves the notes of a run to the one that resumes it. */
export async function moveNotes(tx: Tx, fromRunId: string, toRunId: string): Promise<void> {
  await tx.updateTable('collection_notes').set({ run_id: toRunId }).where('run_id', '=', fromRunId).execute();
}

export async function deleteNotes(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom('collection_notes').where('run_id', '=', runId).execute();
}
