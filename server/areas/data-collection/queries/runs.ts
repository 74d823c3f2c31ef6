import type { Db, Tx } from '../../../storage/database/database.ts';
import type { CollectionRunsTable } from '../../../storage/database/tables/data-collection.ts';

export async function findCollectionRun(db: Db, runId: string): Promise<CollectionRunsTable | undefined> {
  return db.selectFrom('collection_runs').selectAll().where('run_id', '=', runId).executeTakeFirst();
}

export async function saveCollectionRun(tx: Tx, row: CollectionRunsTable): Promise<void> {
  const { run_id: _runId, ...values } = row;
  await tx
    .insertInto('collection_runs')
    .values(row)
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet(values))
    .execute();
}

export async function deleteCollectionRun(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom('collection_runs').where('run_id', '=', runId).execute();
}
