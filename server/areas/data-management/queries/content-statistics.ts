import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { keysTable } from '../../../storage/database/sql.ts';
import type { ContentStatisticsTable } from '../../../storage/database/tables/datasets.ts';

/** The statistics of contents, in any order. */
export async function listContentStatistics(db: Db, blobIds: readonly string[]): Promise<ContentStatisticsTable[]> {
  const { rows } = await sql<ContentStatisticsTable>`
    select blob_id, facts, problem, problem_sentence from content_statistics where blob_id in ${keysTable(db, blobIds)}`.execute(
    db,
  );
  return rows;
}

/** Stores statistics; a content that was counted before, or twice concurrently, keeps one row. */
export async function storeContentStatistics(tx: Tx, rows: readonly ContentStatisticsTable[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('content_statistics')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.column('blob_id').doUpdateSet((row) => ({
        facts: row.ref('excluded.facts'),
        problem: row.ref('excluded.problem'),
        problem_sentence: row.ref('excluded.problem_sentence'),
      })),
    )
    .execute();
}

export async function deleteContentStatistics(tx: Tx, blobIds: readonly string[]): Promise<void> {
  await sql`delete from content_statistics where blob_id in ${keysTable(tx, blobIds)}`.execute(tx);
}

/** Deletes statistics whose content is gone. */
export async function deleteGoneStatistics(tx: Tx): Promise<void> {
  await sql`delete from content_statistics where not exists (select 1 from blobs where blobs.id = content_statistics.blob_id)`.execute(
    tx,
  );
}

/** The number of files of a version that repeat the bytes of another one, by SHA-256; the first of each content isn't counted. */
export async function countRepeatedFiles(
  db: Db,
  { datasetId, version }: { datasetId: string; version: number },
): Promise<{ files: number; sizeBytes: number }> {
  const { rows } = await sql<{ files: number | string | null; size_bytes: number | string | null }>`
    select sum(n - 1) as files, sum((n - 1) * size_bytes) as size_bytes from (
      select blobs.sha256, blobs.size_bytes, count(*) as n from files join blobs on blobs.id = files.blob_id
      where files.dataset_id = ${datasetId} and files.added_version <= ${version}
        and (files.ended_version is null or files.ended_version > ${version}) and blobs.sha256 is not null
      group by blobs.sha256, blobs.size_bytes having count(*) > 1) as repeats`.execute(db);
  return { files: Number(rows[0]?.files ?? 0), sizeBytes: Number(rows[0]?.size_bytes ?? 0) };
}
