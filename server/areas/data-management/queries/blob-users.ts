import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';
import { keysTable } from '../../../storage/database/sql.ts';

/** A state of a file with this content: in the dataset's versions from `addedVersion` on. */
export type BlobUser = {
  blobId: string;
  datasetId: string;
  datasetName: string;
  fileId: string;
  filePath: string;
  addedVersion: number;
  /** The first version without it; null while it is current. */
  endedVersion: number | null;
};

const userColumns = sql`files.blob_id as "blobId", datasets.id as "datasetId", datasets.name as "datasetName",
  files.file_id as "fileId", files.path as "filePath", files.added_version as "addedVersion",
  files.ended_version as "endedVersion"`;

const ofDataset = (datasetId: string | undefined): RawBuilder<unknown> =>
  datasetId === undefined ? sql`` : sql`and files.dataset_id = ${datasetId}`;

/** The files, in any version of any dataset, that hold one of the blobs. Scans all files once. */
export async function listBlobUsers(db: Db, blobIds: readonly string[]): Promise<BlobUser[]> {
  const { rows } = await sql<BlobUser>`select ${userColumns} from files join datasets on datasets.id = files.dataset_id
    where datasets.deleted_at is null and files.blob_id in ${keysTable(db, blobIds)}
    order by datasets.id, files.path, files.added_version`.execute(db);
  return rows;
}

/** Files whose blob has no row. */
export async function listFilesWithoutBlob(db: Db, datasetId: string | undefined, limit: number): Promise<BlobUser[]> {
  const { rows } = await sql<BlobUser>`select ${userColumns} from files join datasets on datasets.id = files.dataset_id
    left join blobs on blobs.id = files.blob_id
    where datasets.deleted_at is null and files.blob_id is not null and blobs.id is null ${ofDataset(datasetId)}
    order by datasets.id, files.path, files.added_version limit ${limit}`.execute(db);
  return rows;
}

/** Blobs with fewer references than files that hold them: the next delete would erase bytes that are still in use. */
export async function listMissingReferences(
  db: Db,
  datasetId: string | undefined,
  limit: number,
): Promise<{ blobId: string; stored: number; counted: number }[]> {
  const wanted =
    datasetId === undefined
      ? sql`blob_id is not null`
      : sql`blob_id in (select blob_id from files where dataset_id = ${datasetId} and blob_id is not null)`;
  const { rows } = await sql<{ blobId: string; stored: number; counted: number }>`
    select blobs.id as "blobId", blobs.refs as stored, holders.files as counted
    from (select blob_id, count(*) as files from files where ${wanted} group by blob_id) as holders
    join blobs on blobs.id = holders.blob_id where blobs.refs < holders.files order by blobs.id limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** The stored reference counts of blobs, and how many files hold each. Scans all files once. */
export async function countFileReferences(
  db: Db,
  blobIds: readonly string[],
): Promise<{ blobId: string; stored: number; files: number }[]> {
  const ids = keysTable(db, blobIds);
  const { rows } = await sql<{ blobId: string; stored: number; files: number }>`
    select blobs.id as "blobId", blobs.refs as stored, coalesce(holders.files, 0) as files from blobs
    left join (select blob_id, count(*) as files from files where blob_id in ${ids} group by blob_id) as holders
      on holders.blob_id = blobs.id
    where blobs.id in ${ids} order by blobs.id`.execute(db);
  return rows;
}

/** Returns the blobs that files of the dataset hold. */
export async function findBlobIdsOf(db: Db, datasetId: string, blobIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ blob_id: string }>`select distinct blob_id from files
    where dataset_id = ${datasetId} and blob_id in ${keysTable(db, blobIds)}`.execute(db);
  return rows.map(({ blob_id }) => blob_id);
}

/** Blobs that the files of a dataset hold, in any version, after `afterId`, by id. */
export async function listBlobIdsOf(db: Db, datasetId: string, afterId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ blob_id: string }>`select distinct blob_id from files
    where dataset_id = ${datasetId} and blob_id > ${afterId} order by blob_id limit ${limit}`.execute(db);
  return rows.map(({ blob_id }) => blob_id);
}

/** The unfinished upload file of an assembly. */
export type AssemblyUser = {
  assemblyId: string;
  uploadId: string;
  datasetId: string;
  fileNo: number;
  fileName: string;
};

/** The unfinished files of one dataset's uploads, or of all. */
export async function listReceivingAssemblies(db: Db, datasetId: string | undefined): Promise<AssemblyUser[]> {
  const only = datasetId === undefined ? sql`` : sql`and uploads.dataset_id = ${datasetId}`;
  const { rows } = await sql<AssemblyUser>`select assembly_id as "assemblyId", upload_id as "uploadId",
      dataset_id as "datasetId", file_no as "fileNo", file_name as "fileName"
    from upload_files join uploads on uploads.id = upload_files.upload_id
    where assembly_id is not null and state = 'RECEIVING' and ended_at is null ${only}`.execute(db);
  return rows;
}

/** All datasets that are not deleted, or the named one. */
export async function listDatasetNames(db: Db, datasetId: string | undefined): Promise<{ id: string; name: string }[]> {
  let query = db.selectFrom('datasets').select(['id', 'name']).where('deleted_at', 'is', null).orderBy('id');
  if (datasetId !== undefined) query = query.where('id', '=', datasetId);
  return query.execute();
}
