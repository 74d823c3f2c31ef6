import type { Media } from '../sample.ts';
import { facePicture, openPicture, type PictureFacts } from './pictures.ts';

/** A small copy of a picture for display. */
export type Thumbnail = {
  /** Null if it can't be read as a picture. */
  readonly facts: Pick<PictureFacts, 'format' | 'width' | 'height' | 'frames'> | null;
  /** WebP of the first frame; null if its pixels can't be read, or none were requested. */
  readonly webp: Uint8Array | null;
};

/**
 * The facts of a picture, and its pixels within `side` × `side`. A damaged file is shown as far as it can be read,
 * which helps people more than an error. With a side of 0, no pixels are read.
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
