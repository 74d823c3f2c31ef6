import type { Db, Tx } from '../../storage/database/database.ts';
import type { LineageTable } from '../../storage/database/tables/engine.ts';

export async function insertLineage(tx: Tx, row: LineageTable): Promise<void> {
  await tx.insertInto('lineage').values(row).execute();
}

/** Runs whose result went into a dataset (`target`) or that read it (`source`), oldest first. */
export async function listLineage(db: Db, role: 'source' | 'target', datasetId: string): Promise<LineageTable[]> {
  return db
    .selectFrom('lineage')
    .selectAll()
    .where(`${role}_dataset_id`, '=', datasetId)
    .orderBy('finished_at')
    .orderBy('run_id')
    .execute();
}
