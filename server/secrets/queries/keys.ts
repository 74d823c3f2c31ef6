import type { Db, Tx } from '../../storage/database/database.ts';
import { dialectOf } from '../../storage/database/sql.ts';
import type { SecretKeysTable } from '../../storage/database/tables/secrets.ts';

export async function listKeys(db: Db): Promise<SecretKeysTable[]> {
  return db.selectFrom('secret_keys').selectAll().orderBy('id').execute();
}

/**
 * Locks the keys until the transaction ends and returns them. Writers of values share the lock; a rotation waits for
 * these writers and blocks new ones.
 */
export async function lockKeys(tx: Tx, mode: 'to use' | 'to change'): Promise<SecretKeysTable[]> {
  const keys = tx.selectFrom('secret_keys').selectAll().orderBy('id');
  if (dialectOf(tx) === 'sqlite') return keys.execute();
  return (mode === 'to use' ? keys.forShare() : keys.forUpdate()).execute();
}

export async function insertKey(tx: Tx, row: SecretKeysTable): Promise<void> {
  await tx
    .insertInto('secret_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ state: row.state }))
    .execute();
}

/** Marks all keys but one as retired. */
export async function retireKeys(tx: Tx, exceptId: string): Promise<void> {
  await tx.updateTable('secret_keys').set({ state: 'RETIRING' }).where('id', '<>', exceptId).execute();
}

export async function deleteKeys(tx: Tx, exceptId: string): Promise<void> {
  await tx.deleteFrom('secret_keys').where('id', '<>', exceptId).execute();
}
