import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import { jsonRowsOf, jsonRowsTable, keysTable } from '../../../storage/database/sql.ts';
import type { DatasetCountsTable } from '../../../storage/database/tables/datasets.ts';

/** A change of the number of files of one type and status. */
export type CountDelta = { file_type: string; status: string; files: number; bytes: number };

const deltaColumns = { file_type: 'text', status: 'text', files: 'integer', bytes: 'integer' } as const;

const addDeltas = prepared<{ dataset: string; deltas: string }, unknown>(
  (db, p) => sql`insert into dataset_counts (dataset_id, file_type, status, file_count, total_size_bytes)
    select cast(${p('dataset')} as text), file_type, status, files, bytes
    from ${jsonRowsTable(db, deltaColumns, p('deltas'))} where true
    on conflict (dataset_id, file_type, status) do update set
      file_count = dataset_counts.file_count + excluded.file_count,
      total_size_bytes = dataset_counts.total_size_bytes + excluded.total_size_bytes`,
);

export async function addToCounts(tx: Tx, datasetId: string, deltas: readonly CountDelta[]): Promise<void> {
  await addDeltas(tx, { dataset: datasetId, deltas: jsonRowsOf(deltaColumns, deltas) });
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

/** The numbers of files with status ERROR of those datasets that have some. */
export async function countErrors(db: Db, datasetIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('dataset_counts')
    .select((eb) => ['dataset_id', eb.fn.sum<number | string>('file_count').as('files')])
    .where('status', '=', 'ERROR')
    .where(sql<boolean>`dataset_id in ${keysTable(db, datasetIds)}`)
    .groupBy('dataset_id')
    .execute();
  // PostgreSQL returns sums as text.
  return new Map(rows.map(({ dataset_id, files }) => [dataset_id, Number(files)]));
}

/** Files of an old version by type and status; reads all of them. */
export async function listCountsAt(
  db: Db,
  datasetId: string,
  version: number,
): Promise<Omit<DatasetCountsTable, 'dataset_id'>[]> {
  type Row = { file_type: string; status: string; files: number | string; bytes: number | string };
  const { rows } = await sql<Row>`select file_type, status, count(*) as files, sum(size_bytes) as bytes from files
    where dataset_id = ${datasetId} and added_version <= ${version} and (ended_version is null or ended_version > ${version})
    group by file_type, status`.execute(db);
  // PostgreSQL returns sums as text.
  return rows.map(({ file_type, status, files, bytes }) => ({
    file_type,
    status,
    file_count: Number(files),
    total_size_bytes: Number(bytes),
  }));
}
