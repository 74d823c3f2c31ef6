import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { rowsTable } from '../../../storage/database/sql.ts';
import type { FilesTable } from '../../../storage/database/tables/datasets.ts';
import type { UploadsTable } from '../../../storage/database/tables/uploads.ts';
import { listCurrentFilesAt } from './commits.ts';

/** Stores a new upload. */
export async function insertUpload(tx: Tx, upload: UploadsTable): Promise<void> {
  await tx.insertInto('uploads').values(upload).execute();
}

/** An upload that has neither been abandoned nor expired. */
export async function findUpload(db: Db, id: string): Promise<UploadsTable | undefined> {
  return db.selectFrom('uploads').selectAll().where('id', '=', id).where('ended_at', 'is', null).executeTakeFirst();
}

/** An upload into the dataset that still expects files or archive entries. */
export async function findOpenUpload(
  db: Db,
  datasetId: string,
): Promise<Pick<UploadsTable, 'id' | 'created_by'> | undefined> {
  const { rows } = await sql<Pick<UploadsTable, 'id' | 'created_by'>>`select id, created_by from uploads
    where dataset_id = ${datasetId} and ended_at is null and (
      total_file_num > (select count(*) from upload_files where upload_id = uploads.id and state = 'COMPLETED')
      or exists (select 1 from archives where upload_id = uploads.id and state = 'PENDING'))
    order by id limit 1`.execute(db);
  return rows[0];
}

/** The status of a dataset; undefined if there is none. */
export async function findDatasetStatus(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('datasets')
    .select('status')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.status;
}

/** Records activity: when each upload was last active, and further calls; returns the calls of each. */
export async function touchUploads(
  tx: Tx,
  touches: readonly { upload_id: string; active: string; more_calls: number }[],
): Promise<Map<string, number>> {
  const rows = rowsTable(tx, { upload_id: 'text', active: 'text', more_calls: 'integer' }, touches);
  const { rows: stored } = await sql<{ id: string; calls: number }>`
    update uploads set active_at = case when active > active_at then active else active_at end, calls = calls + more_calls
    from ${rows} where id = upload_id returning id, calls`.execute(tx);
  return new Map(stored.map(({ id, calls }) => [id, calls]));
}

/** Adds complete files to the totals of an upload that several processes share; returns the totals. */
export async function addCompleted(
  tx: Tx,
  id: string,
  added: { files: number; bytes: number },
): Promise<Pick<UploadsTable, 'completed_files' | 'completed_bytes'>> {
  return tx
    .updateTable('uploads')
    .set({
      completed_files: sql<number>`completed_files + ${added.files}`,
      completed_bytes: sql<number>`completed_bytes + ${added.bytes}`,
    })
    .where('id', '=', id)
    .returning(['completed_files', 'completed_bytes'])
    .executeTakeFirstOrThrow();
}

/** Makes an upload invisible; false when it already was. */
export async function endUpload(tx: Tx, id: string, endedAt: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('uploads')
    .set({ ended_at: endedAt })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Closes the version that an upload holds open; waits for a commit in progress, which may have opened it. */
export async function closeVersionOf(tx: Tx, uploadId: string): Promise<void> {
  await sql`
    update datasets set open_upload_id = nullif(open_upload_id, ${uploadId})
    where id = (select dataset_id from uploads where id = ${uploadId})`.execute(tx);
}

/** Like `closeVersionOf`, if nothing more can come: all files are complete, and no archive waits to be unpacked. */
export async function closeVersionOfFinished(
  tx: Tx,
  { datasetId, uploadId }: { datasetId: string; uploadId: string },
): Promise<void> {
  await sql`
    update datasets set open_upload_id = null
    where id = ${datasetId} and open_upload_id = ${uploadId}
      and not exists (select 1 from archives where upload_id = ${uploadId} and state = 'PENDING')
      and (select count(*) from upload_files where upload_id = ${uploadId} and state = 'COMPLETED')
        >= (select total_file_num from uploads where id = ${uploadId})`.execute(tx);
}

/** Uploads without activity since `before`, and those whose dataset is deleted. */
export async function listForsakenUploads(db: Db, before: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('uploads')
    .leftJoin('datasets', 'datasets.id', 'uploads.dataset_id')
    .select('uploads.id')
    .where('uploads.ended_at', 'is', null)
    .where((where) =>
      where.or([
        where('uploads.active_at', '<', before),
        where('datasets.id', 'is', null),
        where('datasets.deleted_at', 'is not', null),
      ]),
    )
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Ended uploads whose rows are to be erased. */
export async function listEndedUploads(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('uploads')
    .select('id')
    .where('ended_at', 'is not', null)
    .orderBy('ended_at')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Deletes the row of an upload. */
export async function deleteUpload(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('uploads').where('id', '=', id).execute();
}

/**
 * Assemblies older than `beforeId` without an upload file, because a crash came between the two rows; and those of complete files
 * whose blobs are gone, left by earlier releases.
 */
export async function listStrandedAssemblies(db: Db, beforeId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from assemblies where id < ${beforeId}
      and (id not in (select assembly_id from upload_files where assembly_id is not null)
        or (id in (select assembly_id from upload_files where state = 'COMPLETED')
          and not exists (select 1 from blobs where blobs.id = assemblies.id)))
    order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The paths that a current file holds. */
export async function listTakenPaths(db: Db, datasetId: string, paths: readonly string[]): Promise<string[]> {
  return (await listCurrentFilesAt(db, datasetId, paths)).map((file) => file.path);
}

/** The current row of a file. */
export async function findCurrentFile(db: Db, fileId: string): Promise<FilesTable | undefined> {
  return db
    .selectFrom('files')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('ended_version', 'is', null)
    .executeTakeFirst();
}
