import type { Media } from '../sample.ts';
import { drawPictures } from './pictures.ts';

const [width, height] = [1280, 400];
/** Size of the shapes, and strength of the camera noise. */
const patch = 48;
const grain = 24;

/**
 * A JPEG and a PNG that resemble a half-megapixel photograph, rotated and with metadata, wider than the default target
 * size of resizing; the same at every call.
 */
export async function makeMeasuredPictures(): Promise<Media[]> {
  const pixels = new Uint8Array(width * height * 3);
  let state = 1;
  for (let at = 0; at < pixels.length; at += 1) {
    const place = Math.floor(at / 3);
    const shape = Math.imul(Math.floor(place / width / patch) * 31 + Math.floor((place % width) / patch), 0x9e37_79b1);
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    pixels[at] = ((shape >>> (8 * (at % 3))) & 0x7f) + 32 + ((place % width) >> 4) + ((state >>> 24) % grain);
  }
  return drawPictures(pixels, { width, height });
}
