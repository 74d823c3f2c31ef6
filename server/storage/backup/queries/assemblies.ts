import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';

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

export async function deleteChunk(tx: Tx, assemblyId: string, chunkNo: number): Promise<void> {
  await tx
    .deleteFrom('assembly_chunks')
    .where('assembly_id', '=', assemblyId)
    .where('chunk_no', '=', chunkNo)
    .execute();
}
