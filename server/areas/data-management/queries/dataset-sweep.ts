import { sql } from 'kysely';
import type { Tx } from '../../../storage/database/database.ts';
import { dialectOf } from '../../../storage/database/sql.ts';

/** Deletes up to `limit` current and as many ended file rows of a dataset; returns their number and blobs. */
export async function takeFiles(
  tx: Tx,
  datasetId: string,
  limit: number,
): Promise<{ taken: number; blobIds: string[] }> {
  let taken = 0;
  const blobIds: string[] = [];
  // Current and ended rows each have their own index.
  for (const ended of [sql`is null`, sql`is not null`]) {
    const result = await sql<{ blob_id: string | null }>`delete from files where row_id in (
      select row_id from files where dataset_id = ${datasetId} and ended_version ${ended} order by path limit ${limit}
    ) returning blob_id`.execute(tx);
    taken += result.rows.length;
    for (const { blob_id } of result.rows) if (blob_id !== null) blobIds.push(blob_id);
  }
  return { taken, blobIds };
}

const tables = ['directories', 'folders', 'file_buckets', 'dataset_counts', 'versions', 'dataset_tags'] as const;

/** Deletes up to `limit` rows from each other table of a dataset; returns their number. */
export async function takeOtherRows(tx: Tx, datasetId: string, limit: number): Promise<number> {
  let taken = 0;
  for (const table of tables) {
    const rows = await rowsOf(tx, table, datasetId, limit);
    taken += rows;
  }
  return taken;
}

async function rowsOf(tx: Tx, table: (typeof tables)[number], datasetId: string, limit: number): Promise<number> {
  const place = sql.raw(placeOf(tx));
  const result = await sql`delete from ${sql.table(table)} where ${place} in (
    select ${place} from ${sql.table(table)} where dataset_id = ${datasetId} limit ${limit})`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

/** The physical row id; valid within a statement. */
function placeOf(tx: Tx): string {
  return dialectOf(tx) === 'sqlite' ? 'rowid' : 'ctid';
}
