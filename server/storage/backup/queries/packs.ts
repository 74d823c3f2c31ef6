import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';

/** For each pack, the end of the last record that the database refers to. */
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
