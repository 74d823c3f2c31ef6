import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { insertRows } from '../../../storage/database/insert-rows.ts';
import { rowsTable } from '../../../storage/database/sql.ts';
import type { UploadFilesTable } from '../../../storage/database/tables/uploads.ts';

/** Rows of an upload under these numbers. */
export async function listUploadFilesAt(
  tx: Tx,
  uploadId: string,
  fileNos: readonly number[],
): Promise<Map<number, UploadFilesTable>> {
  const wanted = rowsTable(
    tx,
    { wanted_no: 'integer' },
    fileNos.map((fileNo) => ({ wanted_no: fileNo })),
  );
  const { rows } = await sql<UploadFilesTable>`
    select upload_files.* from ${wanted} join upload_files on upload_id = ${uploadId} and file_no = wanted_no`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.file_no, row]));
}

/** A file of an upload by its number. */
export async function findUploadFile(db: Db, uploadId: string, fileNo: number): Promise<UploadFilesTable | undefined> {
  return db
    .selectFrom('upload_files')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .where('file_no', '=', fileNo)
    .executeTakeFirst();
}

/** Stores the row of a file whose first chunk arrives. */
export async function insertUploadFile(tx: Tx, file: UploadFilesTable): Promise<void> {
  await tx.insertInto('upload_files').values(file).execute();
}

/** Stores completed files; completes a row that already exists. */
export const completeUploadFiles: (tx: Tx, files: readonly UploadFilesTable[]) => Promise<void> = insertRows(
  'upload_files',
  {
    upload_id: 'text',
    file_no: 'integer',
    file_name: 'text',
    path: 'text',
    total_chunks: 'integer',
    assembly_id: 'text',
    state: 'text',
    file_id: 'text',
    blob_id: 'text',
    size_bytes: 'integer',
    crc32: 'integer',
  },
  `on conflict (upload_id, file_no) do update set
    state = excluded.state, file_id = excluded.file_id, blob_id = excluded.blob_id,
    size_bytes = excluded.size_bytes, crc32 = excluded.crc32`,
);

/** Deletes the row of a file whose chunks are gone. */
export async function deleteUploadFile(tx: Tx, uploadId: string, assemblyId: string): Promise<void> {
  await tx
    .deleteFrom('upload_files')
    .where('upload_id', '=', uploadId)
    .where('assembly_id', '=', assemblyId)
    .where('state', '=', 'RECEIVING')
    .execute();
}

/** The number of started and of complete files of an upload, and the bytes of the complete ones. */
export async function countUploadFiles(
  db: Db,
  uploadId: string,
): Promise<{ started: number; completed: number; completedBytes: number }> {
  return db
    .selectFrom('upload_files')
    .select((select) => [
      select.fn.countAll<number>().as('started'),
      sql<number>`coalesce(sum(case when state = 'COMPLETED' then 1 else 0 end), 0)`.as('completed'),
      sql<number>`coalesce(sum(size_bytes), 0)`.as('completedBytes'),
    ])
    .where('upload_id', '=', uploadId)
    .executeTakeFirstOrThrow();
}

/** Files whose chunks are still arriving, by number, from `fromFileNo` on. */
export async function listReceivingFiles(
  db: Db,
  uploadId: string,
  fromFileNo: number,
  limit: number,
): Promise<UploadFilesTable[]> {
  return db
    .selectFrom('upload_files')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .where('state', '=', 'RECEIVING')
    .where('file_no', '>=', fromFileNo)
    .orderBy('file_no')
    .limit(limit)
    .execute();
}

export type NumberRange = { from: number; to: number };

/** Numbers of complete files from `fromFileNo` on, consecutive ones as one range. */
export async function listCompletedRanges(
  db: Db,
  uploadId: string,
  fromFileNo: number,
  limit: number,
): Promise<NumberRange[]> {
  // Consecutive numbers differ from their rank by the same amount.
  const { rows } = await sql<NumberRange>`
    select min(file_no) as "from", max(file_no) as "to"
    from (
      select file_no, file_no - row_number() over (order by file_no) as island
      from upload_files
      where upload_id = ${uploadId} and state = 'COMPLETED' and file_no >= ${fromFileNo}
    ) as numbered
    group by island order by 1 limit ${limit}`.execute(db);
  return rows;
}

/** The first file rows of an ended upload. */
export async function listUploadFiles(db: Db, uploadId: string, limit: number): Promise<UploadFilesTable[]> {
  return db
    .selectFrom('upload_files')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .orderBy('file_no')
    .limit(limit)
    .execute();
}

/** Deletes file rows up to and including a number. */
export async function deleteUploadFilesTo(tx: Tx, uploadId: string, fileNo: number): Promise<void> {
  await tx.deleteFrom('upload_files').where('upload_id', '=', uploadId).where('file_no', '<=', fileNo).execute();
}
