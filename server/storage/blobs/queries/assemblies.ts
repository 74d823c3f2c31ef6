import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.ts';
import { keysTable, rowsTable } from '../../database/sql.ts';
import type { AssembliesTable, AssemblyChunksTable } from '../../database/tables/blobs.ts';
import { besideName } from '../beside-names.ts';

export type NewAssembly = Pick<AssembliesTable, 'id' | 'total_chunks' | 'chunk_size_bytes' | 'boot_id' | 'folder_no'>;

export async function insertAssemblies(tx: Tx, rows: readonly NewAssembly[]): Promise<void> {
  const table = rowsTable(
    tx,
    { id: 'text', total_chunks: 'integer', chunk_size_bytes: 'integer', boot_id: 'text', folder_no: 'integer' },
    rows,
  );
  await sql`insert into assemblies (id, total_chunks, chunk_size_bytes, boot_id, folder_no)
    select id, total_chunks, chunk_size_bytes, boot_id, folder_no from ${table}`.execute(tx);
}

export async function findAssemblyRow(db: Db, id: string): Promise<AssembliesTable | undefined> {
  return db.selectFrom('assemblies').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function listChunks(db: Db, assemblyId: string): Promise<AssemblyChunksTable[]> {
  return db
    .selectFrom('assembly_chunks')
    .selectAll()
    .where('assembly_id', '=', assemblyId)
    .orderBy('chunk_no')
    .execute();
}

/** Inserts received chunks, except those of assemblies that were dropped meanwhile. */
export async function insertChunks(tx: Tx, rows: readonly AssemblyChunksTable[]): Promise<void> {
  const table = rowsTable(
    tx,
    { assembly_id: 'text', chunk_no: 'integer', size_bytes: 'integer', crc32: 'integer', beside: 'integer' },
    rows,
  );
  // A commit whose reply was lost may be repeated.
  await sql`insert into assembly_chunks (assembly_id, chunk_no, size_bytes, crc32, beside)
    select assembly_id, chunk_no, size_bytes, crc32, beside from ${table}
    where exists (select 1 from assemblies where id = assembly_id)
    on conflict (assembly_id, chunk_no) do update
    set size_bytes = excluded.size_bytes, crc32 = excluded.crc32, beside = excluded.beside`.execute(tx);
}

export type LearntChunkSize = { id: string; chunk_size_bytes: number };

export async function setChunkSizes(tx: Tx, rows: readonly LearntChunkSize[]): Promise<void> {
  const table = rowsTable(tx, { id: 'text', chunk_size_bytes: 'integer' }, rows, 'learnt');
  await sql`update assemblies set chunk_size_bytes = learnt.chunk_size_bytes from ${table}
    where assemblies.id = learnt.id`.execute(tx);
}

export type PlacedChunk = { assembly_id: string; chunk_no: number };

/** Marks chunks from separate files as in place. */
export async function setChunksPlaced(tx: Tx, rows: readonly PlacedChunk[]): Promise<void> {
  const table = rowsTable(tx, { assembly_id: 'text', chunk_no: 'integer' }, rows, 'placed');
  await sql`update assembly_chunks set beside = 0 from ${table}
    where assembly_chunks.assembly_id = placed.assembly_id and assembly_chunks.chunk_no = placed.chunk_no`.execute(tx);
}

export type SealedAssembly = {
  id: string;
  sealed_size_bytes: number;
  sealed_crc32: number;
  sealed_sha256: string | null;
  sealed_kind: 'empty' | 'file' | 'pack';
  sealed_object_id: string;
  sealed_object_offset: number;
};

export async function sealAssemblies(tx: Tx, rows: readonly SealedAssembly[]): Promise<void> {
  const table = rowsTable(
    tx,
    {
      id: 'text',
      sealed_size_bytes: 'integer',
      sealed_crc32: 'integer',
      sealed_sha256: 'text',
      sealed_kind: 'text',
      sealed_object_id: 'text',
      sealed_object_offset: 'integer',
    },
    rows,
    'sealed',
  );
  await sql`update assemblies set sealed_size_bytes = sealed.sealed_size_bytes, sealed_crc32 = sealed.sealed_crc32,
    sealed_sha256 = sealed.sealed_sha256, sealed_kind = sealed.sealed_kind,
    sealed_object_id = sealed.sealed_object_id, sealed_object_offset = sealed.sealed_object_offset
    from ${table} where assemblies.id = sealed.id`.execute(tx);
}

/** After a check of the chunks: deletes the bad ones and records that the rest are valid under this boot of the machine. */
export async function keepCheckedChunks(
  tx: Tx,
  assemblyId: string,
  badChunks: readonly number[],
  bootId: string,
): Promise<void> {
  if (badChunks.length > 0) {
    const table = rowsTable(
      tx,
      { chunk_no: 'integer' },
      badChunks.map((chunk_no) => ({ chunk_no })),
      'bad',
    );
    await sql`delete from assembly_chunks where assembly_id = ${assemblyId}
      and chunk_no in (select chunk_no from ${table})`.execute(tx);
  }
  await tx.updateTable('assemblies').set({ boot_id: bootId }).where('id', '=', assemblyId).execute();
}

export type AssemblyObjects = { files: string[]; packs: string[]; beside: string[] };

/** All objects on disk that belong to the assemblies. */
export async function listAssemblyObjects(db: Db, ids: readonly string[]): Promise<AssemblyObjects> {
  const keys = keysTable(db, ids);
  const sealed = await db
    .selectFrom('assemblies')
    .select(['sealed_kind', 'sealed_object_id'])
    .where(sql<boolean>`id in ${keys}`)
    .where('sealed_object_id', 'is not', null)
    .execute();
  const of = (kind: string): string[] =>
    sealed.flatMap((row) => (row.sealed_kind === kind && row.sealed_object_id !== null ? [row.sealed_object_id] : []));
  return { files: [...ids, ...of('file')], packs: of('pack'), beside: [...(await findBesideNames(db, ids))] };
}

export async function deleteAssemblies(tx: Tx, ids: readonly string[]): Promise<void> {
  const keys = keysTable(tx, ids);
  await sql`delete from assembly_chunks where assembly_id in ${keys}`.execute(tx);
  await sql`delete from assembly_claims where assembly_id in ${keys}`.execute(tx);
  await sql`delete from assemblies where id in ${keys}`.execute(tx);
}

/** Names of the separate files of these assemblies' chunks. */
export async function findBesideNames(db: Db, assemblyIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ assembly_id: string; chunk_no: number; beside: number }>`
    select assembly_id, chunk_no, beside from assembly_chunks
    where assembly_id in ${keysTable(db, assemblyIds)} and beside > 0`.execute(db);
  return new Set(rows.map((row) => besideName(row.assembly_id, row.chunk_no, row.beside)));
}
