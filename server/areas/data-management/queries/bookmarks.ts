import { offsetOf, type PageRequest } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import type { BookmarksTable } from '../../../storage/database/tables/datasets.ts';

/** Bookmarks by name, and their number. */
export async function listBookmarks(db: Db, page: PageRequest): Promise<{ rows: BookmarksTable[]; total: number }> {
  const all = db.selectFrom('bookmarks');
  const rows = await all.selectAll().orderBy('name').limit(page.size).offset(offsetOf(page)).execute();
  const { total } = await all.select((query) => query.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** Throws a unique violation when the name is taken. */
export async function insertBookmark(tx: Tx, row: BookmarksTable): Promise<void> {
  await tx.insertInto('bookmarks').values(row).execute();
}

/** Returns whether it existed. */
export async function deleteBookmark(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('bookmarks').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
