import type { Db, Tx } from '../../../storage/database/database.ts';
import type { MarketVersionsTable } from '../../../storage/database/tables/operator-market.ts';

/** A version without its README and icon. */
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

/** All versions except deleted ones. */
export async function listVersionHeads(db: Db): Promise<VersionHead[]> {
  return db.selectFrom('market_versions').select(headColumns).where('deleted_at', 'is', null).execute();
}

/** All versions of an operator, including deleted ones. */
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

/** The blob of the package with this digest. */
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

/** Number of references from packages per blob, ordered by id, after `afterId`. */
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
