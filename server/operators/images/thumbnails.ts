import type { Media } from '../sample.ts';
import { facePicture, openPicture, type PictureFacts } from './pictures.ts';

/** A small copy of a picture for people to look at. */
export type Thumbnail = {
  /** Null if it can't be read as a picture. */
  readonly facts: Pick<PictureFacts, 'format' | 'width' | 'height' | 'frames'> | null;
  /** WebP of the first frame; null if its pixels can't be read, or none were wanted. */
  readonly webp: Uint8Array | null;
};

/**
 * What is known of a picture, and its pixels on at most `side` × `side`. Of a damaged file what can be read is shown: it
 * helps people more than an error. With a side of 0, no pixel is read.
 */
export async function shrinkPicture(media: Media, side: number): Promise<Thumbnail> {
  try {
    const { facts: found } = await openPicture(media);
    const { format, width, height, frames } = found;
    const facts = { format, width, height, frames };
    if (side === 0) return { facts, webp: null };
    try {
      return { facts, webp: await facePicture(media, side) };
    } catch {
      return { facts, webp: null };
    }
  } catch {
    return { facts: null, webp: null };
  }
}
