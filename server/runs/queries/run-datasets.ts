import { sql } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import type { RunDatasetsTable } from '../../storage/database/tables/runs.ts';

export async function insertRunDatasets(tx: Tx, rows: readonly RunDatasetsTable[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('run_datasets')
    .values([...rows])
    .execute();
}

export async function listRunDatasets(db: Db, runId: string): Promise<RunDatasetsTable[]> {
  return db.selectFrom('run_datasets').selectAll().where('run_id', '=', runId).orderBy('dataset_id').execute();
}

/** Records the datasets and versions that hold a run's result. */
export async function setTargets(
  tx: Tx,
  runId: string,
  targets: readonly { datasetId: string; version: number }[],
): Promise<void> {
  await tx.deleteFrom('run_datasets').where('run_id', '=', runId).where('role', '=', 'TARGET').execute();
  await insertRunDatasets(
    tx,
    targets.map(({ datasetId, version }) => ({ run_id: runId, dataset_id: datasetId, role: 'TARGET', version })),
  );
}

/** An unfinished run that reads or writes the dataset. */
export async function findRunOfDataset(
  db: Db,
  datasetId: string,
): Promise<{ id: string; task_id: string } | undefined> {
  return db
    .selectFrom('run_datasets')
    .innerJoin('runs', 'runs.id', 'run_datasets.run_id')
    .select(['runs.id', 'runs.task_id'])
    .where('run_datasets.dataset_id', '=', datasetId)
    .where(sql<boolean>`runs.status in ('QUEUED', 'RUNNING')`)
    .executeTakeFirst();
}

/** An unfinished run that writes into the dataset. */
export async function findRunInto(db: Db, datasetId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('run_datasets')
    .innerJoin('runs', 'runs.id', 'run_datasets.run_id')
    .select('runs.id')
    .where('run_datasets.dataset_id', '=', datasetId)
    .where('run_datasets.role', '=', 'TARGET')
    .where(sql<boolean>`runs.status in ('QUEUED', 'RUNNING')`)
    .executeTakeFirst();
  return row?.id;
}

/** Versions of a dataset that stored runs read or compare with. */
export async function listVersionsRead(db: Db, datasetId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('run_datasets')
    .select('version')
    .distinct()
    .where('dataset_id', '=', datasetId)
    .where('role', 'in', ['SOURCE', 'REFERENCE'])
    .orderBy('version')
    .execute();
  return rows.flatMap(({ version }) => version ?? []);
}

/** All runs that read or write the dataset. */
export async function listRunsOfDataset(db: Db, datasetId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('run_datasets')
    .select('run_id')
    .distinct()
    .where('dataset_id', '=', datasetId)
    .execute();
  return rows.map(({ run_id }) => run_id);
}
