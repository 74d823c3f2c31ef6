import type { Db, Tx } from '../../../storage/database/database.ts';
import type { PublisherKeysTable } from '../../../storage/database/tables/operator-market.ts';

export async function listPublisherKeys(db: Db): Promise<PublisherKeysTable[]> {
  return db.selectFrom('publisher_keys').selectAll().orderBy('name').execute();
}

export async function insertPublisherKey(tx: Tx, row: PublisherKeysTable): Promise<void> {
  await tx.insertInto('publisher_keys').values(row).execute();
}

export async function findPublisherKeyNamed(db: Db, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('publisher_keys').select('id').where('name', '=', name).executeTakeFirst();
  return row?.id;
}

export async function deletePublisherKey(tx: Tx, id: string): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('publisher_keys').where('id', '=', id).executeTakeFirst();
  return Number(numDeletedRows);
}
