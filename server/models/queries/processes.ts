import type { Db, Tx } from '../../storage/database/database.ts';

export async function upsertProcess(tx: Tx, row: { id: string; expires_at: number }): Promise<void> {
  await tx
    .insertInto('model_processes')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ expires_at: row.expires_at }))
    .execute();
}

export async function listLiveProcesses(db: Db, now: number): Promise<string[]> {
  const rows = await db.selectFrom('model_processes').select('id').where('expires_at', '>', now).execute();
  return rows.map(({ id }) => id);
}

export async function deleteProcesses(tx: Tx, expiredBefore: number): Promise<void> {
  await tx.deleteFrom('model_processes').where('expires_at', '<=', expiredBefore).execute();
}

export async function deleteProcess(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('model_processes').where('id', '=', id).execute();
}
