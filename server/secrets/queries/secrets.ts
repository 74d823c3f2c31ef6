import type { Db, Tx } from '../../storage/database/database.ts';
import type { SecretsTable } from '../../storage/database/tables/secrets.ts';
import type { SecretPlace } from '../encryption.ts';

export async function findSecret(db: Db, { kind, id, field }: SecretPlace): Promise<SecretsTable | undefined> {
  return db
    .selectFrom('secrets')
    .selectAll()
    .where('kind', '=', kind)
    .where('owner_id', '=', id)
    .where('field', '=', field)
    .executeTakeFirst();
}

export async function upsertSecret(tx: Tx, row: SecretsTable): Promise<void> {
  const { key_id, encrypted } = row;
  await tx
    .insertInto('secrets')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'owner_id', 'field']).doUpdateSet({ key_id, encrypted }))
    .execute();
}

/** Replaces a ciphertext, unless the value was changed meanwhile. */
export async function replaceSecret(tx: Tx, before: SecretsTable, after: SecretsTable): Promise<void> {
  await tx
    .updateTable('secrets')
    .set({ key_id: after.key_id, encrypted: after.encrypted })
    .where('kind', '=', before.kind)
    .where('owner_id', '=', before.owner_id)
    .where('field', '=', before.field)
    .where('encrypted', '=', before.encrypted)
    .execute();
}

/** Deletes a value unless it was changed since it was read; returns whether it was deleted. */
export async function deleteSecret(tx: Tx, row: SecretsTable): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('secrets')
    .where('kind', '=', row.kind)
    .where('owner_id', '=', row.owner_id)
    .where('field', '=', row.field)
    .where('encrypted', '=', row.encrypted)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes one field of an owner, or all of them. */
export async function deleteSecrets(tx: Tx, kind: string, ownerId: string, field?: string): Promise<void> {
  const owned = tx.deleteFrom('secrets').where('kind', '=', kind).where('owner_id', '=', ownerId);
  await (field === undefined ? owned : owned.where('field', '=', field)).execute();
}

export async function listSecrets(db: Db): Promise<SecretsTable[]> {
  return db.selectFrom('secrets').selectAll().orderBy('kind').orderBy('owner_id').orderBy('field').execute();
}

/** Ids of the keys that values are encrypted with. */
export async function listUsedKeys(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('secrets').select('key_id').distinct().execute();
  return rows.map((row) => row.key_id);
}

/** Owners of a kind that have a value in a field. */
export async function listOwners(db: Db, kind: string, field: string): Promise<string[]> {
  const rows = await db
    .selectFrom('secrets')
    .select('owner_id')
    .where('kind', '=', kind)
    .where('field', '=', field)
    .execute();
  return rows.map((row) => row.owner_id);
}

/** A batch of values that are encrypted with another key. */
export async function listOtherSecrets(
  db: Db,
  keyId: string,
  after: SecretsTable | undefined,
  limit: number,
): Promise<SecretsTable[]> {
  const others = db.selectFrom('secrets').selectAll().where('key_id', '<>', keyId);
  const rest =
    after === undefined
      ? others
      : others.where((where) =>
          where(where.refTuple('kind', 'owner_id', 'field'), '>', where.tuple(after.kind, after.owner_id, after.field)),
        );
  return rest.orderBy('kind').orderBy('owner_id').orderBy('field').limit(limit).execute();
}
