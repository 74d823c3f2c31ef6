import { Type, type Static } from 'typebox';
import { DataManagementErrorSchema } from '../../../http/schemas.ts';

const version = Type.Optional(
  Type.Integer({ minimum: 1, description: 'Version of the dataset; default: the current one' }),
);

export const DownloadQuery = Type.Object({ version });

export const ArchiveQuery = Type.Object({
  prefix: Type.Optional(Type.String({ description: 'Folder: only what is below it, at any depth' })),
  fileIds: Type.Optional(Type.String({ description: 'Ids of files, separated by commas; an unknown one is 404' })),
  fileType: Type.Optional(
    Type.String({ description: "Extension without the dot, without regard to case; '' for none" }),
  ),
  version,
});
export type ArchiveQuery = Static<typeof ArchiveQuery>;

const text = (description: string) => ({ type: 'string', description });

const contentHeaders = {
  ETag: text('Strong: equal only for equal bytes'),
  'Accept-Ranges': text('bytes'),
  'Content-Disposition': text('attachment, with the file name in ASCII and in UTF-8'),
  'X-Content-Type-Options': text('nosniff'),
  'Content-Security-Policy': text('sandbox'),
};

const rangeHeaders = {
  ...contentHeaders,
  'Content-Range': text('Which bytes of how many; several ranges come as multipart/byteranges with one in each part'),
};

/** What every download understands, for its description. */
export const conditionsNote =
  'Understands `Range` (up to 16 ranges that do not overlap; several come as multipart/byteranges), `If-Range` with an ETag, ' +
  '`If-None-Match` and `If-Match`. A connection that breaks before `Content-Length` bytes have come means that the rest could not be ' +
  'read: ask again with `Range` and `If-Range`.';

/** Answers of a download; `headers` are those that all of them have beside the usual ones. */
export function downloadResponses(
  description: string,
  mediaType: string,
  headers: Readonly<Record<string, unknown>> = {},
) {
  const content = { [mediaType]: { schema: { type: 'string', format: 'binary' } } };
  return {
    200: { description, headers: { ...contentHeaders, ...headers }, content },
    206: { description: 'The bytes that Range asks for', headers: { ...rangeHeaders, ...headers }, content },
    304: Type.Null({ description: 'The client has this content already (If-None-Match)' }),
    412: { description: 'The content is not, or no longer, the one that If-Match names', ...errorContent },
    416: { description: 'The range lies outside of the content; Content-Range tells its size', ...errorContent },
  };
}

const errorContent = {
  content: {
    'application/json': {
      schema: DataManagementErrorSchema,
    },
  },
};

export const skippedFilesHeader = {
  'X-Tilth-Skipped-Files': {
    type: 'integer',
    description: 'Files that the selection has but the archive has not, because they are not COMPLETED',
  },
};
