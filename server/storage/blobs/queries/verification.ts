import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import { keysTable } from '../../database/sql.ts';
import type { AssembliesTable, AssemblyChunksTable } from '../../database/tables/blobs.ts';

/** A received chunk of an assembly that is not sealed. */
export type ReceivedChunk = AssemblyChunksTable & Pick<AssembliesTable, 'chunk_size_bytes' | 'folder_no'>;

/** Received chunks of unsealed assemblies after `after`, by assembly and number. */
export async function listReceivedChunks(
  db: Db,
  after: { assembly_id: string; chunk_no: number },
  { assemblyIds, limit }: { assemblyIds?: readonly string[] | undefined; limit: number },
): Promise<ReceivedChunk[]> {
  let query = db
    .selectFrom('assembly_chunks')
    .innerJoin('assemblies', 'assemblies.id', 'assembly_chunks.assembly_id')
    .selectAll('assembly_chunks')
    .select(['chunk_size_bytes', 'folder_no'])
    .where('sealed_kind', 'is', null)
    .where(sql<boolean>`(assembly_id, chunk_no) > (${after.assembly_id}, ${after.chunk_no})`);
  if (assemblyIds !== undefined) query = query.where(sql<boolean>`assembly_id in ${keysTable(db, assemblyIds)}`);
  return query.orderBy('assembly_id').orderBy('chunk_no').limit(limit).execute();
}

/** Number and total bytes of all blobs, or of those that a data folder may have received; for progress as a percentage. */
export async function measureBlobs(db: Db, folderNo?: number): Promise<{ blobs: number; bytes: number }> {
  const here = folderNo === undefined ? sql`` : sql`where folder_no is null or folder_no = ${folderNo}`;
  const { rows } = await sql<{ blobs: number; bytes: number }>`
    select count(*) as blobs, coalesce(sum(size_bytes), 0) as bytes from blobs ${here}`.execute(db);
  return rows[0] ?? { blobs: 0, bytes: 0 };
}
