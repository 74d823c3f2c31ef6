import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { keysTable, rowsTable } from '../../../storage/database/sql.ts';
import type { DirectoriesTable, FilesTable } from '../../../storage/database/tables/datasets.ts';
import type { ChangePlace } from './version-changes.ts';

/** Which versions a pruning keeps: newer ones, those with a name, and those in use. */
export type PruneRule = {
  datasetId: string;
  /** The oldest version that is kept by its number. */
  keepFrom: number;
  /** Versions created at this time or later are kept; null for no such limit. */
  keepSince: string | null;
  /** Versions that are kept because they are in use. */
  used: readonly number[];
};

function isKept(db: Db, { keepFrom, keepSince, used }: PruneRule): RawBuilder<unknown> {
  const recent = keepSince === null ? sql`` : sql`or versions.created_at >= ${keepSince}`;
  const ids = sql`(select version from ${rowsTable(db, { version: 'integer' }, used.map(version), 'used')})`;
  return sql`(versions.version >= ${keepFrom} or versions.name is not null ${recent} or versions.version in ${ids})`;
}

const version = (number: number): { version: number } => ({ version: number });

/** The number of the n-th newest version; undefined if there are fewer. */
export async function findNthNewest(db: Db, datasetId: string, n: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('versions')
    .select('version')
    .where('dataset_id', '=', datasetId)
    .orderBy('version', 'desc')
    .limit(1)
    .offset(n - 1)
    .executeTakeFirst();
  return row?.version;
}

/** The number of versions that the rule prunes, and of those it keeps only because they have a name or are in use. */
export async function countPrunable(
  db: Db,
  rule: PruneRule,
): Promise<{ versions: number; keptNamed: number; keptUsed: number }> {
  const old = sql`dataset_id = ${rule.datasetId} and version < ${rule.keepFrom} ${
    rule.keepSince === null ? sql`` : sql`and created_at < ${rule.keepSince}`
  }`;
  const { rows } = await sql<{ old: number | string; kept: number | string; named: number | string }>`
    select count(*) as old,
      coalesce(sum(case when ${isKept(db, rule)} then 1 else 0 end), 0) as kept,
      coalesce(sum(case when name is not null then 1 else 0 end), 0) as named
    from versions where ${old}`.execute(db);
  const [{ old: all, kept, named } = { old: 0, kept: 0, named: 0 }] = rows;
  return { versions: Number(all) - Number(kept), keptNamed: Number(named), keptUsed: Number(kept) - Number(named) };
}

export async function deletePrunable(tx: Tx, rule: PruneRule): Promise<void> {
  await sql`delete from versions where dataset_id = ${rule.datasetId} and not ${isKept(tx, rule)}`.execute(tx);
}

/** File states or folders that no version has or, given a rule, no version that it keeps. */
function isForsaken(db: Db, table: 'files' | 'directories', datasetId: string, rule?: PruneRule): RawBuilder<unknown> {
  const [added, ended] = [sql.ref(`${table}.added_version`), sql.ref(`${table}.ended_version`)];
  const kept = rule === undefined ? sql`` : sql`and ${isKept(db, rule)}`;
  return sql`${sql.ref(`${table}.dataset_id`)} = ${datasetId} and ${ended} is not null and not exists (
    select 1 from versions where versions.dataset_id = ${datasetId}
      and versions.version >= ${added} and versions.version < ${ended} ${kept})`;
}

/** What a rule would erase: the number of file states, and the bytes that only they have. */
export async function measurePrunable(db: Db, rule: PruneRule): Promise<{ files: number; bytes: number }> {
  const forsaken = sql`select blob_id from files where ${isForsaken(db, 'files', rule.datasetId, rule)}`;
  const { rows } = await sql<{ files: number | string; bytes: number | string }>`
    with forsaken as (${forsaken}), held as (
      select blob_id, count(*) as files from forsaken where blob_id is not null group by blob_id)
    select (select count(*) from forsaken) as files,
      (select coalesce(sum(blobs.size_bytes), 0) from held join blobs on blobs.id = held.blob_id
        where blobs.refs <= held.files) as bytes`.execute(db);
  const [row] = rows;
  return { files: Number(row?.files ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/** Ended states of files that no version has, by the version that ended them and path, after `after`. */
export async function listForsakenFiles(
  db: Db,
  datasetId: string,
  after: ChangePlace,
  limit: number,
): Promise<Pick<FilesTable, 'row_id' | 'blob_id' | 'path' | 'ended_version'>[]> {
  const { rows } = await sql<Pick<FilesTable, 'row_id' | 'blob_id' | 'path' | 'ended_version'>>`
    select row_id, blob_id, path, ended_version from files
    where ${isForsaken(db, 'files', datasetId)} and (ended_version, path) > (${after.version}, ${after.path})
    order by ended_version, path limit ${limit}`.execute(db);
  return rows;
}

export async function listForsakenDirectories(
  db: Db,
  datasetId: string,
  limit: number,
): Promise<Pick<DirectoriesTable, 'row_id'>[]> {
  const { rows } = await sql<Pick<DirectoriesTable, 'row_id'>>`
    select row_id from directories where ${isForsaken(db, 'directories', datasetId)} limit ${limit}`.execute(db);
  return rows;
}

/** The bytes of those blobs that nothing else refers to, once these references to them are gone. */
export async function sumUnshared(db: Db, blobIds: readonly string[]): Promise<number> {
  const ids = keysTable(db, blobIds);
  const { rows } = await sql<{ bytes: number | string }>`
    select coalesce(sum(blobs.size_bytes), 0) as bytes
    from (select value as id, count(*) as files from ${ids} as listed group by value) as held
    join blobs on blobs.id = held.id where blobs.refs <= held.files`.execute(db);
  return Number(rows[0]?.bytes ?? 0);
}
