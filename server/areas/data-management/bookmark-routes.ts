import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import type { Bookmarks } from './bookmarks/bookmarks.ts';
import {
  BookmarkPageSchema,
  BookmarkParams,
  BookmarkSchema,
  BookmarksQuery,
  NewBookmarkBody,
} from './schemas/bookmarks.ts';

const tags = ['Bookmarks'];

/** Bookmarks, shared by all users. */
export function bookmarkRoutes({ bookmarks }: { bookmarks: Bookmarks }): AreaRoutes {
  return (app) => {
    app.get(
      '/bookmarks',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listBookmarks',
          summary: 'List bookmarks by name',
          tags,
          querystring: BookmarksQuery,
          response: { 200: BookmarkPageSchema },
        },
      },
      (request) => bookmarks.list(request.query),
    );
    app.post(
      '/bookmarks',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'createBookmark',
          summary: 'Create a bookmark',
          tags,
          body: NewBookmarkBody,
          response: { 201: BookmarkSchema },
        },
      },
      (request) => bookmarks.create(request.body),
    );
    app.delete(
      '/bookmarks/:bookmarkId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteBookmark',
          summary: 'Delete a bookmark',
          tags,
          params: BookmarkParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await bookmarks.remove(request.params.bookmarkId);
        return null;
      },
    );
  };
}
