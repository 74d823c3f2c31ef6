import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';

/** Binds all runs to a data folder and clears their leases. */
export async function bindRuns(tx: Tx, place: string): Promise<void> {
  // The data folders of the original service do not belong to this database.
  await tx.deleteFrom('data_folders').execute();
  await tx.updateTable('blobs').set({ folder_no: null }).where('folder_no', 'is not', null).execute();
  await tx.updateTable('assemblies').set({ folder_no: null }).where('folder_no', 'is not', null).execute();
  await tx.updateTable('runs').set({ bound_to: place, lease_place: null, lease_until: null }).execute();
}

/** Creation time of the database: that of its first migration. */
export async function findOrigin(db: Db): Promise<string> {
  const { rows } = await sql<{ timestamp: string }>`
    select min(timestamp) as timestamp from kysely_migration`.execute(db);
  return rows[0]?.timestamp ?? '';
}
