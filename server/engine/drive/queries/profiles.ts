import type { Db, Tx } from '../../../storage/database/database.ts';
import type { ProfilesTable } from '../../../storage/database/tables/engine.ts';

export async function insertProfile(tx: Tx, row: ProfilesTable): Promise<void> {
  await tx.insertInto('profiles').values(row).execute();
}

export async function findProfile(db: Db, runId: string): Promise<ProfilesTable | undefined> {
  return db.selectFrom('profiles').selectAll().where('run_id', '=', runId).executeTakeFirst();
}

export async function deleteProfile(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom('profiles').where('run_id', '=', runId).execute();
}

/** The figures of some finished shards, in order. */
export async function listFigures(
  db: Db,
  runId: string,
  after: number,
  limit: number,
): Promise<{ shard_no: number; figures: string | null }[]> {
  return db
    .selectFrom('shards')
    .select(['shard_no', 'figures'])
    .where('run_id', '=', runId)
    .where('status', '=', 'DONE')
    .where('shard_no', '>', after)
    .orderBy('shard_no')
    .limit(limit)
    .execute();
}
