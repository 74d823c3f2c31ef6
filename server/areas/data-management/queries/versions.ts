import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import type { ReasonColumns } from '../../../kernel/sentences/index.ts';
import { rowsTable } from '../../../storage/database/sql.ts';
import type { VersionsTable } from '../../../storage/database/tables/datasets.ts';

export async function insertVersion(tx: Tx, row: VersionsTable): Promise<void> {
  await tx.insertInto('versions').values(row).execute();
}

/** What another commit changed in a version, and the new totals. */
export type VersionChanges = Pick<
  VersionsTable,
  | 'dataset_id'
  | 'version'
  | 'files_added'
  | 'files_ended'
  | 'message'
  | 'message_sentence'
  | 'file_count'
  | 'total_size_bytes'
>;

const extend = prepared<VersionChanges, unknown>(
  (_, p) => sql`update versions set
      file_count = ${p('file_count')}, total_size_bytes = ${p('total_size_bytes')},
      files_added = files_added + ${p('files_added')}, files_ended = files_ended + ${p('files_ended')},
      message = case when files_added = 1 then cast(${p('message')} as text) end,
      message_sentence = case when files_added = 1 then cast(${p('message_sentence')} as text) end
    where dataset_id = ${p('dataset_id')} and version = ${p('version')}`,
);

/**
 * Adds the changes of another commit to the version that its upload holds open. The commit's message is stored only if the
 * version held a single file: an archive, whose entries have now been added.
 */
export async function extendVersion(tx: Tx, changes: VersionChanges): Promise<void> {
  await extend(tx, changes);
}

export async function findVersion(db: Db, datasetId: string, version: number): Promise<VersionsTable | undefined> {
  return db
    .selectFrom('versions')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .where('version', '=', version)
    .executeTakeFirst();
}

/** Newest first unless `ascending`. */
export async function listVersions(
  db: Db,
  datasetId: string,
  { limit, offset, ascending }: { limit: number; offset: number; ascending: boolean },
): Promise<VersionsTable[]> {
  return db
    .selectFrom('versions')
    .selectAll()
    .where('dataset_id', '=', datasetId)
    .orderBy('version', ascending ? 'asc' : 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countVersions(db: Db, datasetId: string): Promise<number> {
  const { count } = await db
    .selectFrom('versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('dataset_id', '=', datasetId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function updateVersionName(
  tx: Tx,
  datasetId: string,
  version: number,
  values: { name: string } & Partial<ReasonColumns<'message'>>,
): Promise<void> {
  await tx
    .updateTable('versions')
    .set(values)
    .where('dataset_id', '=', datasetId)
    .where('version', '=', version)
    .execute();
}

/** Files that a purge removed from the versions `from <= version < before`. */
export type PurgedRange = { from: number; before: number; files: number; bytes: number };

/** Subtracts purged files from the totals of the versions that had them; the ranges don't overlap. */
export async function subtractFromVersions(tx: Tx, datasetId: string, ranges: readonly PurgedRange[]): Promise<void> {
  const columns = { from: 'integer', before: 'integer', files: 'integer', bytes: 'integer' } as const;
  const rows = rowsTable(tx, columns, ranges, 'ranges');
  await sql`update versions set file_count = file_count - ranges.files, total_size_bytes = total_size_bytes - ranges.bytes
    from ${rows} where dataset_id = ${datasetId} and version >= ranges."from" and version < ranges.before`.execute(tx);
}
