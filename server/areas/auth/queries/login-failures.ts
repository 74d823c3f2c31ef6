import { sql } from 'kysely';
import type { Tx } from '../../../storage/database/database.ts';

/** Milliseconds since 1970 by the clock of the database (PostgreSQL), which all processes share. */
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
