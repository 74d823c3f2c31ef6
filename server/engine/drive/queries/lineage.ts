import type { Db, Tx } from '../../../storage/database/database.ts';
import type { LineageSourcesTable, LineageTable } from '../../../storage/database/tables/engine.ts';

export async function insertLineage(tx: Tx, row: LineageTable): Promise<void> {
  await tx.insertInto('lineage').values(row).execute();
}

/** Records the datasets that a run read besides its first source. */
export async function insertLineageSources(
  tx: Tx,
  runId: string,
  sources: readonly { datasetId: string; version: number }[],
): Promise<void> {
  if (sources.length === 0) return;
  const rows = sources.map(({ datasetId, version }) => ({ run_id: runId, dataset_id: datasetId, version }));
  await tx.insertInto('lineage_sources').values(rows).execute();
}

/** Runs whose result went into a dataset (`target`) or that read it (`source`), oldest first. */
export async function listLineage(db: Db, role: 'source' | 'target', datasetId: string): Promise<LineageTable[]> {
  const runs = db.selectFrom('lineage').selectAll().orderBy('finished_at').orderBy('run_id');
  if (role === 'target') return runs.where('target_dataset_id', '=', datasetId).execute();
  const others = db.selectFrom('lineage_sources').select('run_id').where('dataset_id', '=', datasetId);
  return runs
    .where((where) => where.or([where('source_dataset_id', '=', datasetId), where('run_id', 'in', others)]))
    .execute();
}

/** The datasets that runs read besides their first source, by their ids. */
export async function listLineageSources(db: Db, runIds: readonly string[]): Promise<LineageSourcesTable[]> {
  if (runIds.length === 0) return [];
  return db
    .selectFrom('lineage_sources')
    .selectAll()
    .where('run_id', 'in', runIds)
    .orderBy('run_id')
    .orderBy('dataset_id')
    .execute();
}
