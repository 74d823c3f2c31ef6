import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, pageOf, pageQuery, TimestampSchema } from '../../../http/schemas.ts';

export const BookmarkParams = Type.Object({ bookmarkId: IdSchema });
export const BookmarksQuery = Type.Object(pageQuery);

export const BookmarkSchema = namedObject('Bookmark', {
  id: IdSchema,
  name: Type.String(),
  path: Type.String(),
  createdAt: TimestampSchema,
});
export type Bookmark = Static<typeof BookmarkSchema>;
export const BookmarkPageSchema = pageOf(BookmarkSchema);

export const NewBookmarkBody = namedObject('NewBookmark', {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Unique' }),
  path: Type.String({ minLength: 1, maxLength: 1_000, description: 'Address in the web application' }),
});
export type NewBookmark = Static<typeof NewBookmarkBody>;
