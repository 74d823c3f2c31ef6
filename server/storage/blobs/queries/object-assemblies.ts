import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import { dialectOf, keysTable, rowsTable } from '../../database/sql.ts';
import type { AssemblyChunksTable } from '../../database/tables/blobs.ts';

/** Sets the multipart upload of an assembly unless it has one; returns its upload, or undefined if the assembly is gone. */
export async function setUploadId(tx: Tx, id: string, uploadId: string): Promise<string | undefined> {
  await tx
    .updateTable('assemblies')
    .set({ upload_id: uploadId })
    .where('id', '=', id)
    .where('upload_id', 'is', null)
    .execute();
  const row = await tx.selectFrom('assemblies').select('upload_id').where('id', '=', id).executeTakeFirst();
  return row?.upload_id ?? undefined;
}

/** Claims a chunk for sending as parts of the upload; false if another writer already claimed it. */
export async function claimChunk(tx: Tx, assemblyId: string, chunkNo: number): Promise<boolean> {
  const { numAffectedRows } = await sql`insert into assembly_claims (assembly_id, chunk_no)
    values (${assemblyId}, ${chunkNo}) on conflict do nothing`.execute(tx);
  return numAffectedRows === 1n;
}

/** Records a received chunk; false if the chunk was received before, or the assembly is gone. */
export async function insertChunkOnce(tx: Tx, row: AssemblyChunksTable): Promise<boolean> {
  const { numAffectedRows } = await sql`insert into assembly_chunks (assembly_id, chunk_no, size_bytes, crc32, beside)
    select id, ${row.chunk_no}, ${row.size_bytes}, ${row.crc32}, ${row.beside} from assemblies
    where id = ${row.assembly_id} ${lock(tx, 'for key share')}
    on conflict do nothing`.execute(tx);
  return numAffectedRows === 1n;
}

/** Returns the assemblies without chunks; none can receive one until the transaction ends. */
export async function lockEmptyAssemblies(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const { rows: locked } = await sql<{ id: string }>`select id from assemblies where id in ${keysTable(tx, ids)}
    order by id ${lock(tx, 'for update')}`.execute(tx);
  // A separate statement, which sees chunks that were added while waiting for the lock.
  const { rows } = await sql<{ id: string }>`select id from assemblies
    where id in ${keysTable(
      tx,
      locked.map(({ id }) => id),
    )}
      and not exists (select 1 from assembly_chunks where assembly_id = assemblies.id)`.execute(tx);
  return rows.map(({ id }) => id);
}

function lock(tx: Tx, strength: 'for key share' | 'for update'): RawBuilder<unknown> {
  return dialectOf(tx) === 'postgres' ? sql.raw(strength) : sql``;
}

/** Number and bytes of the received chunks; shows whether other processes have added any. */
export async function sumChunks(db: Db, assemblyId: string): Promise<{ chunks: number; bytes: number }> {
  const { rows } = await sql<{ chunks: number; bytes: number }>`
    select cast(count(*) as integer) as chunks, coalesce(sum(size_bytes), 0) as bytes
    from assembly_chunks where assembly_id = ${assemblyId}`.execute(db);
  return { chunks: rows[0]?.chunks ?? 0, bytes: rows[0]?.bytes ?? 0 };
}

/** Deletes chunks whose bytes in the object store are not those acknowledged: they are missing again. */
export async function deleteChunks(tx: Tx, assemblyId: string, chunkNos: readonly number[]): Promise<void> {
  const table = rowsTable(
    tx,
    { chunk_no: 'integer' },
    chunkNos.map((chunk_no) => ({ chunk_no })),
    'wrong',
  );
  await sql`delete from assembly_chunks where assembly_id = ${assemblyId}
    and chunk_no in (select chunk_no from ${table})
    and exists (select 1 from assemblies where id = ${assemblyId} and sealed_kind is null)`.execute(tx);
}

/** The multipart uploads of assemblies that are not sealed. */
export async function listUploadIds(db: Db, ids: readonly string[]): Promise<{ id: string; upload_id: string }[]> {
  const { rows } = await sql<{ id: string; upload_id: string }>`select id, upload_id from assemblies
    where id in ${keysTable(db, ids)} and upload_id is not null`.execute(db);
  return rows;
}
