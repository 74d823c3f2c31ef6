import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import { rowsTable } from '../../../storage/database/sql.ts';
import type { DatasetCountsTable } from '../../../storage/database/tables/datasets.ts';

/** How the number of files of one type and status changes. */
export type CountDelta = { file_type: string; status: string; files: number; bytes: number };

export async function addToCounts(tx: Tx, datasetId: string, deltas: readonly CountDelta[]): Promise<void> {
  const columns = { file_type: 'text', status: 'text', files: 'integer', bytes: 'integer' } as const;
  await sql`insert into dataset_counts (dataset_id, file_type, status, file_count, total_size_bytes)
    select cast(${datasetId} as text), file_type, status, files, bytes from ${rowsTable(tx, columns, deltas)} where true
    on conflict (dataset_id, file_type, status) do update set
      file_count = dataset_counts.file_count + excluded.file_count,
      total_size_bytes = dataset_counts.total_size_bytes + excluded.total_size_bytes`.execute(tx);
}

export async function deleteEmptyCounts(tx: Tx, datasetId: string): Promise<void> {
  await tx.deleteFrom('dataset_counts').where('dataset_id', '=', datasetId).where('file_count', '=', 0).execute();
}

const listOfDataset = prepared<{ id: string }, DatasetCountsTable>((db, p) =>
  db.selectFrom('dataset_counts').selectAll().where('dataset_id', '=', p('id')),
);

export async function listCounts(db: Db, datasetId: string): Promise<DatasetCountsTable[]> {
  return listOfDataset(db, { id: datasetId });
}
