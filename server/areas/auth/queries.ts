import { sql, type Selectable } from 'kysely';
import type { Role } from '../../kernel/principal.ts';
import type { Db, Tx } from '../../storage/database/database.ts';
import { dialectOf } from '../../storage/database/sql.ts';
import type { ApiKeysTable, UsersTable } from '../../storage/database/tables/auth.ts';

export type UserRow = Selectable<UsersTable>;
export type ApiKeyRow = Selectable<ApiKeysTable>;

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findUserByKey(db: Db, usernameKey: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('username_key', '=', usernameKey).executeTakeFirst();
}

export async function listUsers(db: Db): Promise<UserRow[]> {
  return db.selectFrom('users').selectAll().orderBy('username_key').execute();
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Ids of all ADMINs, locked until the end of the transaction where writers run side by side. */
export async function lockAdmins(db: Db): Promise<string[]> {
  const admins = db.selectFrom('users').select('id').where('role', '=', 'ADMIN').orderBy('id');
  const rows = await (dialectOf(db) === 'postgres' ? admins.forUpdate() : admins).execute();
  return rows.map((row) => row.id);
}

export async function insertUser(db: Db, row: UserRow): Promise<void> {
  await db.insertInto('users').values(row).execute();
}

export type UserChange = {
  username?: string;
  username_key?: string;
  role?: Role;
  password_hash?: string;
  updated_at: string;
};

export async function updateUser(db: Db, id: string, change: UserChange): Promise<void> {
  await db.updateTable('users').set(change).where('id', '=', id).execute();
}

export async function startTokenGeneration(db: Db, id: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ token_generation: sql<number>`token_generation + 1` })
    .where('id', '=', id)
    .execute();
}

export async function deleteUser(db: Db, id: string): Promise<void> {
  await db.deleteFrom('users').where('id', '=', id).execute();
}

export async function listApiKeys(db: Db, userId: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function insertApiKey(db: Db, row: ApiKeyRow): Promise<void> {
  await db.insertInto('api_keys').values(row).execute();
}

export async function deleteApiKey(db: Db, key: { id: string; userId: string }): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('api_keys')
    .where('id', '=', key.id)
    .where('user_id', '=', key.userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export type ApiKeyOwner = {
  id: string;
  role: Role | null;
  expires_at: string | null;
  user_id: string;
  username: string;
  user_role: Role;
};

export async function findApiKeyOwner(db: Db, keyHash: string): Promise<ApiKeyOwner | undefined> {
  return db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select([
      'api_keys.id as id',
      'api_keys.role as role',
      'api_keys.expires_at as expires_at',
      'users.id as user_id',
      'users.username as username',
      'users.role as user_role',
    ])
    .where('api_keys.key_hash', '=', keyHash)
    .executeTakeFirst();
}

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

/** Milliseconds since 1970 by the clock of the database (PostgreSQL), the one that all processes share. */
const nowMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export async function deleteOldFailures(tx: Tx, spanMs: number): Promise<void> {
  await tx
    .deleteFrom('login_failures')
    .where('failed_at', '<=', sql<number>`${nowMs} - ${spanMs}`)
    .execute();
}

/** How long until fewer than `limit` failures of an address (and a user) lie within the span; undefined if they are fewer now. */
export async function findFailureWait(
  tx: Tx,
  failures: { address: string; usernameKey: string | undefined; limit: number; spanMs: number },
): Promise<number | undefined> {
  const { address, usernameKey, limit, spanMs } = failures;
  const ofAddress = tx.selectFrom('login_failures').where('address', '=', address);
  const counted = usernameKey === undefined ? ofAddress : ofAddress.where('username_key', '=', usernameKey);
  const row = await counted
    .select(sql<number>`failed_at + ${spanMs} - ${nowMs}`.as('wait_ms'))
    .orderBy('failed_at', 'desc')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.wait_ms;
}

export async function countAttempt(
  tx: Tx,
  { id, address, usernameKey }: { id: string; address: string; usernameKey: string },
): Promise<void> {
  await tx.insertInto('login_failures').values({ id, address, username_key: usernameKey, failed_at: nowMs }).execute();
}

export async function deleteFailure(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('login_failures').where('id', '=', id).execute();
}

/** The user has signed in: earlier failures count for the address alone. */
export async function releaseUser(
  tx: Tx,
  { address, usernameKey }: { address: string; usernameKey: string },
): Promise<void> {
  await tx
    .updateTable('login_failures')
    .set({ username_key: null })
    .where('address', '=', address)
    .where('username_key', '=', usernameKey)
    .execute();
}
