import { sql } from 'kysely';
import type { Db } from '../../database/database.ts';
import type { ObjectStoresTable } from '../../database/tables/blobs.ts';

/** The object store that holds the bytes of this database; undefined if they are in a folder. */
export async function findObjectStore(db: Db): Promise<ObjectStoresTable | undefined> {
  return db.selectFrom('object_stores').selectAll().executeTakeFirst();
}

/** Does nothing if another service has already inserted its row. */
export async function insertObjectStore(db: Db, row: Omit<ObjectStoresTable, 'slot'>): Promise<void> {
  await sql`insert into object_stores (slot, marker, url, first_used_at)
    values (1, ${row.marker}, ${row.url}, ${row.first_used_at}) on conflict do nothing`.execute(db);
}
