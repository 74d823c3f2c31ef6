import { contentTypeOf } from '../../kernel/content-types.ts';

/** The media type of an image, audio or video file by its name; undefined for any other file. */
export function mediaTypeOf(path: string): string | undefined {
  const type = contentTypeOf(path);
  return /^(?:image|audio|video)\//.test(type) ? type : undefined;
}
