import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import { toPage, type Page, type PageRequest } from '../../../kernel/page.ts';
import { parseName } from '../../../kernel/text-fields.ts';
import type { Database } from '../../../storage/database/database.ts';
import { refusingDuplicates } from '../../../storage/database/sql.ts';
import type { BookmarksTable } from '../../../storage/database/tables/datasets.ts';
import { dataErrors } from '../errors.ts';
import { deleteBookmark, insertBookmark, listBookmarks } from '../queries/bookmarks.ts';
import type { Bookmark, NewBookmark } from '../schemas/bookmarks.ts';

export type Bookmarks = {
  /** By name. */
  list(page: PageRequest): Promise<Page<Bookmark>>;
  /** Throws BOOKMARK_ALREADY_EXISTS. */
  create(bookmark: NewBookmark): Promise<Bookmark>;
  /** Throws BOOKMARK_NOT_FOUND. */
  remove(id: string): Promise<void>;
};

export function createBookmarks({ db, clock }: { db: Database; clock: Clock }): Bookmarks {
  return {
    async list(page) {
      const { rows, total } = await listBookmarks(db.read, page);
      return toPage(rows.map(toBookmark), page, total);
    },

    async create({ name: given, path }) {
      const name = parseName('name', given, 100);
      const row = { id: newId(), name, path, created_at: isoNow(clock) };
      await refusingDuplicates(
        () => db.write((tx) => insertBookmark(tx, row)),
        (options) => dataErrors.BOOKMARK_ALREADY_EXISTS({ name }, { ...options, field: 'name' }),
      );
      return toBookmark(row);
    },

    async remove(id) {
      if (!(await db.write((tx) => deleteBookmark(tx, id)))) throw dataErrors.BOOKMARK_NOT_FOUND({ id });
    },
  };
}

function toBookmark({ id, name, path, created_at: createdAt }: BookmarksTable): Bookmark {
  return { id, name, path, createdAt };
}
