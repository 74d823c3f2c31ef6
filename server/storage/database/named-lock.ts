import { PostgresAdapter, sql, type Kysely } from 'kysely';

/** Locks a name until the transaction ends. Does nothing with SQLite, which has one writer anyway. */
// oxlint-disable-next-line no-explicit-any -- migrations use it too
export async function lockName(tx: Kysely<any>, name: string): Promise<void> {
  if (tx.getExecutor().adapter instanceof PostgresAdapter)
    await sql`select pg_advisory_xact_lock(hashtext('tilth'), hashtext(${name}))`.execute(tx);
}
