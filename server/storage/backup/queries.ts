import { sql } from 'kysely';
import type { Db, Tx } from '../database/database.ts';

/** The end of the last record in each pack that the rows of a database refer to. */
export async function listPackEnds(db: Db): Promise<{ pack_id: string; end_bytes: number }[]> {
  const { rows } = await sql<{ pack_id: string; end_bytes: number }>`
    select pack_id, max(end_bytes) as end_bytes from (
      select object_id as pack_id, object_offset + size_bytes as end_bytes from blobs where kind = 'pack'
      union all
      select sealed_object_id as pack_id, sealed_object_offset + sealed_size_bytes as end_bytes
      from assemblies where sealed_kind = 'pack') as places
    group by pack_id order by pack_id`.execute(db);
  return rows;
}

/** Files of sealed assemblies that have no blob yet. */
export async function listSealedFiles(db: Db): Promise<{ object_id: string; size_bytes: number }[]> {
  const { rows } = await sql<{ object_id: string; size_bytes: number }>`
    select sealed_object_id as object_id, sealed_size_bytes as size_bytes
    from assemblies where sealed_kind = 'file'`.execute(db);
  return rows;
}

/** Assemblies that have chunks and are not sealed. */
export async function listUnsealedAssemblies(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from assemblies where sealed_kind is null
    and exists (select 1 from assembly_chunks where assembly_id = assemblies.id) order by id`.execute(db);
  return rows.map(({ id }) => id);
}

export async function listChunksBeside(db: Db): Promise<{ assembly_id: string; chunk_no: number; beside: number }[]> {
  return db
    .selectFrom('assembly_chunks')
    .select(['assembly_id', 'chunk_no', 'beside'])
    .where('beside', '>', 0)
    .execute();
}

/** Binds all runs to a data folder and clears their leases. */
export async function bindRuns(tx: Tx, place: string): Promise<void> {
  // The data folders of the backed-up service do not belong to this database.
  await tx.deleteFrom('data_folders').execute();
  await tx.updateTable('blobs').set({ folder_no: null }).where('folder_no', 'is not', null).execute();
  await tx.updateTable('assemblies').set({ folder_no: null }).where('folder_no', 'is not', null).execute();
  await tx.updateTable('runs').set({ bound_to: place, lease_place: null, lease_until: null }).execute();
}

export async function deleteChunk(tx: Tx, assemblyId: string, chunkNo: number): Promise<void> {
  await tx
    .deleteFrom('assembly_chunks')
    .where('assembly_id', '=', assemblyId)
    .where('chunk_no', '=', chunkNo)
    .execute();
}

/** When the database was created: its first migration. */
export async function findOrigin(db: Db): Promise<string> {
  const { rows } = await sql<{ timestamp: string }>`
    select min(timestamp) as timestamp from kysely_migration`.execute(db);
  return rows[0]?.timestamp ?? '';
}

/** The tables of a database of PostgreSQL. */
export async function listTableNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(db);
  return rows.map(({ name }) => name);
}

export async function hasRows(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
  return rows.length > 0;
}
