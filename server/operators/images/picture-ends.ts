import type { PictureFormat } from './pictures.ts';
import { findPngChunks } from './png-chunks.ts';

/** Whether a file may be truncated, by the end marks of its format; only decoding the pixels gives certainty. */
export function mayBeCutOff(bytes: Uint8Array, format: PictureFormat): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (format) {
    case 'png':
      return findPngChunks(bytes) === undefined;
    case 'jpeg':
      return bytes.length < 2 || view.getUint16(bytes.length - 2) !== 0xff_d9;
    case 'gif':
      return bytes.at(-1) !== 0x3b;
    case 'webp':
      return bytes.length < 8 || view.getUint32(4, true) + 8 > bytes.length;
    case 'avif':
      return endOfBoxes(view) !== bytes.length;
    case 'tiff':
      // Its parts may be anywhere.
      return true;
  }
}

/** The end of the last box of a file. */
function endOfBoxes(view: DataView): number {
  let at = 0;
  while (at + 8 <= view.byteLength) {
    const size = view.getUint32(at);
    // The last box may extend to the end of the file (size 0); a large one has its size after its name (size 1).
    if (size === 0) return view.byteLength;
    if (size === 1 && at + 16 > view.byteLength) return at + 16;
    const length = size === 1 ? Number(view.getBigUint64(at + 8)) : size;
    if (length < 8) return at;
    at += length;
  }
  return at;
}
