import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { rowsTable } from '../../../storage/database/sql.ts';
import type { ArchivesTable, StagedEntriesTable } from '../../../storage/database/tables/uploads.ts';

/** Stores archives that wait to be unpacked. */
export async function insertArchives(tx: Tx, archives: readonly ArchivesTable[]): Promise<void> {
  await tx.insertInto('archives').values(archives).execute();
}

/** The archives that have waited longest and that no other node unpacks. */
export async function listPendingArchives(db: Db, nodeId: string, limit: number): Promise<ArchivesTable[]> {
  return db
    .selectFrom('archives')
    .selectAll()
    .where('state', '=', 'PENDING')
    .where(isFree(nodeId))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Whether no other live node is unpacking an archive. */
function isFree(nodeId: string): RawBuilder<boolean> {
  return sql<boolean>`(archives.node_id is null or archives.node_id = ${nodeId}
    or not exists (select 1 from nodes where nodes.id = archives.node_id))`;
}

/** Claims a waiting archive for a node; false if another one was first. */
export async function claimArchive(tx: Tx, id: string, nodeId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('archives')
    .set({ node_id: nodeId })
    .where('id', '=', id)
    .where('state', '=', 'PENDING')
    .where(isFree(nodeId))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Counts a process that begins to unpack an archive (1) or gives it back (-1); returns how many have begun. */
export async function countUnpacking(tx: Tx, id: string, change: 1 | -1): Promise<number> {
  const row = await tx
    .updateTable('archives')
    .set({ unpackings: sql<number>`unpackings + ${change}` })
    .where('id', '=', id)
    .returning('unpackings')
    .executeTakeFirst();
  return row?.unpackings ?? 0;
}

/** Stores a node's progress with its archive; false if another node has taken it over. */
export async function noteArchiveProgress(
  db: Db,
  id: string,
  nodeId: string,
  progress: { file_count: number; total_size_bytes: number; refused_count: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('archives')
    .set(progress)
    .where('id', '=', id)
    .where('state', '=', 'PENDING')
    .where('node_id', '=', nodeId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ids of the nodes that may be alive; none if a single process uses the database. */
export async function listNodeIds(db: Db): Promise<string[]> {
  return (await db.selectFrom('nodes').select('id').execute()).map(({ id }) => id);
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

/** Records the result of an archive; false if another node has taken it over. */
export async function endArchiveOf(
  tx: Tx,
  id: string,
  nodeId: string,
  receipt: Partial<ArchivesTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('archives')
    .set(receipt)
    .where('id', '=', id)
    .where('state', '=', 'PENDING')
    .where('node_id', '=', nodeId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
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

/** Deletes the rows of a job up to and including an ordinal; returns their blobs. */
export async function deleteStagedEntriesTo(tx: Tx, jobId: string, ordinal: number): Promise<string[]> {
  const rows = await tx
    .deleteFrom('staged_entries')
    .where('job_id', '=', jobId)
    .where('ordinal', '<=', ordinal)
    .returning('blob_id')
    .execute();
  return rows.map((row) => row.blob_id);
}

/** Jobs that have staged entries. */
export async function listStagingJobs(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('staged_entries').select('job_id').distinct().execute();
  return rows.map((row) => row.job_id);
}
