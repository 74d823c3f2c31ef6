import type { Db, Tx } from '../../storage/database/database.ts';
import { dialectOf } from '../../storage/database/sql.ts';
import type {
  MarketOperatorsTable,
  MarketVersionsTable,
  PublisherKeysTable,
} from '../../storage/database/tables/operator-market.ts';

/** A version without its texts. */
export type VersionHead = Omit<MarketVersionsTable, 'readme' | 'icon'>;

const headColumns = [
  'operator_id',
  'version',
  'digest',
  'blob_id',
  'size_bytes',
  'manifest',
  'signature',
  'metrics',
  'approved_at',
  'approved_by',
  'created_at',
  'created_by',
  'deleted_at',
] as const;

export async function listOperatorRows(db: Db): Promise<MarketOperatorsTable[]> {
  return db.selectFrom('market_operators').selectAll().orderBy('id').execute();
}

export async function findOperatorRow(db: Db, id: string): Promise<MarketOperatorsTable | undefined> {
  return db.selectFrom('market_operators').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The row, locked until this transaction ends. */
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

/** The versions that are not deleted. */
export async function listVersionHeads(db: Db): Promise<VersionHead[]> {
  return db.selectFrom('market_versions').select(headColumns).where('deleted_at', 'is', null).execute();
}

/** All versions of an operator, deleted ones included. */
export async function listVersionsOf(db: Db, operatorId: string): Promise<VersionHead[]> {
  return db.selectFrom('market_versions').select(headColumns).where('operator_id', '=', operatorId).execute();
}

export async function findVersion(
  db: Db,
  operatorId: string,
  version: string,
): Promise<MarketVersionsTable | undefined> {
  return db
    .selectFrom('market_versions')
    .selectAll()
    .where('operator_id', '=', operatorId)
    .where('version', '=', version)
    .executeTakeFirst();
}

/** The blob of a package that is stored under a digest. */
export async function findPackageBlob(db: Db, digest: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('market_versions')
    .select('blob_id')
    .where('digest', '=', digest)
    .where('blob_id', 'is not', null)
    .executeTakeFirst();
  return row?.blob_id ?? undefined;
}

export async function insertVersion(tx: Tx, row: MarketVersionsTable): Promise<void> {
  await tx.insertInto('market_versions').values(row).execute();
}

export async function updateVersion(
  tx: Tx,
  operatorId: string,
  version: string,
  values: Partial<MarketVersionsTable>,
): Promise<void> {
  await tx
    .updateTable('market_versions')
    .set(values)
    .where('operator_id', '=', operatorId)
    .where('version', '=', version)
    .execute();
}

/** How many references the packages hold per blob, by id after `afterId`. */
export async function listReferencesPage(
  db: Db,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<{ blobId: string; references: number }[]> {
  const rows = await db
    .selectFrom('market_versions')
    .select(({ fn }) => ['blob_id', fn.countAll<number>().as('references')])
    .where('blob_id', '>', afterId)
    .groupBy('blob_id')
    .orderBy('blob_id')
    .limit(limit)
    .execute();
  return rows.map(({ blob_id, references }) => ({ blobId: blob_id ?? '', references }));
}

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
