import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { keysTable } from '../../../storage/database/sql.ts';
import type { FilesTable, PurgesTable } from '../../../storage/database/tables/datasets.ts';

export async function insertPurge(tx: Tx, row: PurgesTable): Promise<void> {
  await tx.insertInto('purges').values(row).execute();
}

export async function updatePurge(tx: Tx, { id, report }: PurgesTable): Promise<void> {
  await tx.updateTable('purges').set({ report }).where('id', '=', id).execute();
}

/** The purges of a dataset, newest first. */
export async function listPurges(
  db: Db,
  datasetId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<PurgesTable[]> {
  return db
    .selectFrom('purges')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countPurges(db: Db, datasetId: string): Promise<number> {
  const { count } = await db
    .selectFrom('purges')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('dataset_id', '=', datasetId)
    .executeTakeFirstOrThrow();
  return count;
}

export type FileState = Pick<FilesTable, 'row_id' | 'file_id' | 'path' | 'size_bytes' | 'blob_id'> &
  Pick<FilesTable, 'added_version' | 'ended_version'>;

/** Every state of files of a dataset, by path and version. */
export async function listFileStates(db: Db, datasetId: string, fileIds: readonly string[]): Promise<FileState[]> {
  return db
    .selectFrom('files')
    .select(['row_id', 'file_id', 'path', 'size_bytes', 'blob_id', 'added_version', 'ended_version'])
    .where('dataset_id', '=', datasetId)
    .where(sql<boolean>`file_id in ${keysTable(db, fileIds)}`)
    .orderBy('path')
    .orderBy('added_version')
    .execute();
}

/** A state of another file with the same content. */
export type ContentCopy = { datasetId: string; datasetName: string; fileId: string; filePath: string };

/**
 * Files of all datasets, in any version, with the SHA-256 of one of the blobs, except the given files. Scans the files of blobs
 * of these sizes: only those can be equal.
 */
export async function listContentCopies(
  db: Db,
  { blobIds, fileIds }: { blobIds: readonly string[]; fileIds: readonly string[] },
  limit: number,
): Promise<ContentCopy[]> {
  const { rows } = await sql<ContentCopy>`
    select distinct datasets.id as "datasetId", datasets.name as "datasetName", files.file_id as "fileId",
      files.path as "filePath"
    from blobs as erased join blobs as other on other.sha256 = erased.sha256 and other.size_bytes = erased.size_bytes
    join files on files.blob_id = other.id join datasets on datasets.id = files.dataset_id
    where erased.id in ${keysTable(db, blobIds)} and erased.sha256 is not null and erased.size_bytes > 0
      and datasets.deleted_at is null and files.file_id not in ${keysTable(db, fileIds)}
    order by "datasetName", "datasetId", "filePath", "fileId" limit ${limit}`.execute(db);
  return rows;
}
