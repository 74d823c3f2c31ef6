import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';
import { dialectOf, keysTable } from '../../../storage/database/sql.ts';

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

/**
 * Number of references that the ledgers and failed samples of runs hold per blob, by id after `afterId`; with `runIds`,
 * only those of these runs. Scans the shards once per page.
 */
export async function listHeldReferences(
  db: Db,
  { runIds, afterId, limit }: { runIds: readonly string[] | undefined; afterId: string; limit: number },
): Promise<{ blobId: string; references: number }[]> {
  const isPostgres = dialectOf(db) === 'postgres';
  const ofRuns = runIds === undefined ? sql`` : sql`and run_id in ${keysTable(db, runIds)}`;
  const aside = isPostgres
    ? sql`select held.blob_id from shards cross join lateral (select set_aside::jsonb ->> 'blobId' as blob_id
        union all select jsonb_array_elements_text(set_aside::jsonb -> 'files')) as held
        where set_aside is not null and held.blob_id is not null ${ofRuns}`
    : sql`select held.atom from shards join json_tree(shards.set_aside) as held on held.type = 'text'
        where set_aside is not null ${ofRuns}`;
  const { rows } = await sql<{ blobId: string; references: number }>`
    select blob_id as "blobId", count(*) as "references"
    from (select ledger_blob_id as blob_id from shards where ledger_blob_id is not null ${ofRuns}
      union all ${aside}) as held
    where blob_id > ${afterId} group by blob_id order by blob_id limit ${limit}`.execute(db);
  return rows;
}

/** Those of the blobs that runs name in their notes: results of shards, and failed samples set aside. Scans the shards once. */
export async function findBlobsInNotes(db: Db, blobIds: readonly string[]): Promise<string[]> {
  const ids = keysTable(db, blobIds);
  const named = (column: 'outputs' | 'set_aside'): RawBuilder<unknown> =>
    dialectOf(db) === 'postgres'
      ? sql`select held #>> '{}' as id from shards
          cross join lateral jsonb_path_query(${sql.ref(column)}::jsonb, 'strict $.**') as held
          where ${sql.ref(column)} is not null and jsonb_typeof(held) = 'string'`
      : sql`select held.atom as id from shards join json_tree(shards.${sql.ref(column)}) as held on held.type = 'text'`;
  const { rows } = await sql<{ id: string }>`
    select distinct id from (${named('outputs')} union all ${named('set_aside')}) as notes where id in ${ids}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
