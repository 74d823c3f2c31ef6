import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { rowsTable } from '../../../storage/database/sql.ts';
import type { ArchivesTable, StagedEntriesTable } from '../../../storage/database/tables/uploads.ts';

/** Stores archives that wait to be unpacked. */
export async function insertArchives(tx: Tx, archives: readonly ArchivesTable[]): Promise<void> {
  await tx.insertInto('archives').values(archives).execute();
}

/** The archives that have waited longest. */
export async function listPendingArchives(db: Db, limit: number): Promise<ArchivesTable[]> {
  return db.selectFrom('archives').selectAll().where('state', '=', 'PENDING').orderBy('id').limit(limit).execute();
}

/** Archives of an upload with their results, by file number. */
export async function listUploadArchives(db: Db, uploadId: string, limit: number): Promise<ArchivesTable[]> {
  return db
    .selectFrom('archives')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .orderBy('file_no')
    .limit(limit)
    .execute();
}

/** Records the result of an archive. */
export async function updateArchive(tx: Tx, id: string, receipt: Partial<ArchivesTable>): Promise<void> {
  await tx.updateTable('archives').set(receipt).where('id', '=', id).execute();
}

/** Deletes the receipts of an upload; waiting archives keep theirs. */
export async function deleteArchiveReceipts(tx: Tx, uploadId: string): Promise<void> {
  await tx.deleteFrom('archives').where('upload_id', '=', uploadId).where('state', '!=', 'PENDING').execute();
}

/** Deletes receipts of archives that outlived their upload. */
export async function deleteOrphanedReceipts(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('archives')
    .where('state', '!=', 'PENDING')
    .where('upload_id', 'not in', tx.selectFrom('uploads').select('id'))
    .execute();
}

/** Whether a file is PROCESSING with these bytes. */
export async function isProcessing(db: Db, fileId: string, blobId: string): Promise<boolean> {
  const row = await db
    .selectFrom('files')
    .select('row_id')
    .where('file_id', '=', fileId)
    .where('blob_id', '=', blobId)
    .where('ended_version', 'is', null)
    .where('status', '=', 'PROCESSING')
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores entries that a job has received. */
export async function insertStagedEntries(tx: Tx, entries: readonly StagedEntriesTable[]): Promise<void> {
  const rows = rowsTable(
    tx,
    {
      job_id: 'text',
      place: 'integer',
      path: 'text',
      original_name: 'text',
      size_bytes: 'integer',
      blob_id: 'text',
    },
    // `ordinal` already names the rank within this statement.
    entries.map((entry) => ({ ...entry, place: entry.ordinal })),
  );
  await sql`
    insert into staged_entries (job_id, ordinal, path, original_name, size_bytes, blob_id)
    select job_id, place, path, original_name, size_bytes, blob_id from ${rows}`.execute(tx);
}

/** Entries of a job in arrival order, after `after`. */
export async function listStagedEntries(
  db: Db,
  jobId: string,
  after: number,
  limit: number,
): Promise<StagedEntriesTable[]> {
  return db
    .selectFrom('staged_entries')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('ordinal', '>', after)
    .orderBy('ordinal')
    .limit(limit)
    .execute();
}

/** Deletes the rows of a job up to and including an ordinal. */
export async function deleteStagedEntriesTo(tx: Tx, jobId: string, ordinal: number): Promise<void> {
  await tx.deleteFrom('staged_entries').where('job_id', '=', jobId).where('ordinal', '<=', ordinal).execute();
}

/** Jobs that have staged entries. */
export async function listStagingJobs(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('staged_entries').select('job_id').distinct().execute();
  return rows.map((row) => row.job_id);
}
