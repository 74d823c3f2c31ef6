import type { Db, Tx } from '../../../storage/database/database.ts';
import { dialectOf } from '../../../storage/database/sql.ts';
import type { MarketOperatorsTable } from '../../../storage/database/tables/operator-market.ts';

export async function listOperatorRows(db: Db): Promise<MarketOperatorsTable[]> {
  return db.selectFrom('market_operators').selectAll().orderBy('id').execute();
}

export async function findOperatorRow(db: Db, id: string): Promise<MarketOperatorsTable | undefined> {
  return db.selectFrom('market_operators').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The row of an operator, locked until the end of the transaction. */
export async function lockOperatorRow(tx: Tx, id: string): Promise<MarketOperatorsTable | undefined> {
  const query = tx.selectFrom('market_operators').selectAll().where('id', '=', id);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export async function insertOperatorRow(tx: Tx, row: MarketOperatorsTable): Promise<void> {
  await tx
    .insertInto('market_operators')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

export async function updateOperatorRow(tx: Tx, id: string, values: Partial<MarketOperatorsTable>): Promise<void> {
  await tx.updateTable('market_operators').set(values).where('id', '=', id).execute();
}
