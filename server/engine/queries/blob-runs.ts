import { sql } from 'kysely';
import type { Db } from '../../storage/database/database.ts';
import { dialectOf, keysTable } from '../../storage/database/sql.ts';

/** A run that holds certain bytes: a part of its ledger, or failed samples that it set aside. */
export type BlobHolder = { blobId: string; runId: string; holds: 'LEDGER' | 'SET_ASIDE' };

/** The runs that hold one of the blobs. Scans the shards of all runs once. */
export async function listBlobRuns(db: Db, blobIds: readonly string[]): Promise<BlobHolder[]> {
  const aside =
    dialectOf(db) === 'postgres'
      ? sql`shards cross join lateral (select set_aside::jsonb ->> 'blobId' as blob_id
          union all select jsonb_array_elements_text(set_aside::jsonb -> 'files')) as held`
      : sql`shards join json_tree(shards.set_aside) as held on held.type = 'text'`;
  const asideId = dialectOf(db) === 'postgres' ? sql`held.blob_id` : sql`held.atom`;
  const ids = keysTable(db, blobIds);
  const { rows } = await sql<BlobHolder>`select ledger_blob_id as "blobId", run_id as "runId", 'LEDGER' as holds
      from shards where ledger_blob_id in ${ids}
    union select ${asideId}, run_id, 'SET_ASIDE' from ${aside} where set_aside is not null and ${asideId} in ${ids}
    order by 2, 1`.execute(db);
  return rows;
}
