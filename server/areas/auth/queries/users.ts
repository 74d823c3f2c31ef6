import { type Selectable, sql } from 'kysely';
import type { Role } from '../../../kernel/principal.ts';
import type { Db } from '../../../storage/database/database.ts';
import { dialectOf } from '../../../storage/database/sql.ts';
import type { UsersTable } from '../../../storage/database/tables/auth.ts';

export type UserRow = Selectable<UsersTable>;

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
