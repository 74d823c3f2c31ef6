import { Type, type TSchema } from 'typebox';
import { ServiceErrorSchema } from './schemas.ts';

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
  'Content-Range': text(
    'The bytes sent and the total size; several ranges are sent as multipart/byteranges, each with its own',
  ),
};

/** Describes the conditional headers that every download supports. */
export const conditionsNote =
  'Supports `Range` (up to 16 non-overlapping ranges; several are sent as multipart/byteranges), `If-Range` with an ETag, ' +
  '`If-None-Match` and `If-Match`. If the connection breaks before `Content-Length` bytes, the rest could not be read: ' +
  'repeat the call with `Range` and `If-Range`.';

/** Responses of a download; `headers` are added to each of them. */
export function downloadResponses(
  description: string,
  mediaType: string,
  { headers = {}, error = ServiceErrorSchema }: { headers?: Readonly<Record<string, unknown>>; error?: TSchema } = {},
) {
  const errorContent = { content: { 'application/json': { schema: error } } };
  const content = { [mediaType]: { schema: { type: 'string', format: 'binary' } } };
  return {
    200: { description, headers: { ...contentHeaders, ...headers }, content },
    206: { description: 'The bytes requested by Range', headers: { ...rangeHeaders, ...headers }, content },
    304: Type.Null({ description: 'The client has this content already (If-None-Match)' }),
    412: { description: 'The content does not match If-Match', ...errorContent },
    416: { description: 'The range is outside the content; Content-Range has its size', ...errorContent },
  };
}
