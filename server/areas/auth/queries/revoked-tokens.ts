import type { Db } from '../../../storage/database/database.ts';

export async function isTokenRevoked(db: Db, jti: string): Promise<boolean> {
  return (await db.selectFrom('revoked_tokens').select('jti').where('jti', '=', jti).executeTakeFirst()) !== undefined;
}

export async function insertRevokedToken(db: Db, row: { jti: string; expires_at: string }): Promise<void> {
  await db
    .insertInto('revoked_tokens')
    .values(row)
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .execute();
}

export async function deleteExpiredRevocations(db: Db, now: string): Promise<void> {
  await db.deleteFrom('revoked_tokens').where('expires_at', '<', now).execute();
}
