import { sql } from 'kysely';
import type { Tx } from '../../database/database.ts';

/** Deletes the chunks of unfinished uploads, which can't become parts of an object; returns their number. */
export async function deleteReceivedChunks(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from assembly_chunks
    where assembly_id in (select id from assemblies where sealed_kind is null)`.execute(tx);
  await sql`delete from assembly_chunks
    where assembly_id in (select id from assemblies where sealed_kind is null)`.execute(tx);
  return rows[0]?.count ?? 0;
}
