import type { Selectable } from 'kysely';
import type { Role } from '../../../kernel/principal.ts';
import type { Db } from '../../../storage/database/database.ts';
import type { ApiKeysTable } from '../../../storage/database/tables/auth.ts';

export type ApiKeyRow = Selectable<ApiKeysTable>;

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
