import type { Db, Tx } from '../../../storage/database/database.ts';

export async function putRating(
  tx: Tx,
  row: { operator_id: string; user_id: string; stars: number; updated_at: string },
): Promise<void> {
  const { stars, updated_at } = row;
  await tx
    .insertInto('market_ratings')
    .values(row)
    .onConflict((conflict) => conflict.columns(['operator_id', 'user_id']).doUpdateSet({ stars, updated_at }))
    .execute();
}

export async function listRatings(db: Db): Promise<{ operatorId: string; stars: number; count: number }[]> {
  const rows = await db
    .selectFrom('market_ratings')
    .select(({ fn }) => ['operator_id', 'stars', fn.countAll<number>().as('count')])
    .groupBy(['operator_id', 'stars'])
    .execute();
  return rows.map(({ operator_id, stars, count }) => ({
    operatorId: operator_id,
    stars,
    count,
  }));
}

export async function findRating(db: Db, operatorId: string, userId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('market_ratings')
    .select('stars')
    .where('operator_id', '=', operatorId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row === undefined ? undefined : row.stars;
}
