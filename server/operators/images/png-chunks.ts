/** The range of a PNG chunk, including its length, name and checksum. */
export type PngChunk = { readonly name: string; readonly start: number; readonly end: number };

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
export const pngSignatureBytes = signature.length;

export function isPng(bytes: Uint8Array): boolean {
  return signature.equals(bytes.subarray(0, signature.length));
}

/** The chunks up to the end of the picture; undefined if one is cut off. */
export function findPngChunks(bytes: Uint8Array): PngChunk[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const chunks: PngChunk[] = [];
  for (let start = signature.length; start + 12 <= bytes.length;) {
    const end = start + 12 + view.getUint32(start);
    if (end > bytes.length) return undefined;
    const name = String.fromCharCode(...bytes.subarray(start + 4, start + 8));
    chunks.push({ name, start, end });
    if (name === 'IEND') return chunks;
    start = end;
  }
  return undefined;
}

/** Number of pictures in a PNG: the library reads only the first one of an animation (APNG). */
export function countPngFrames(bytes: Uint8Array): number {
  const chunks = findPngChunks(bytes) ?? [];
  const control = chunks.find(({ name }) => name === 'acTL');
  if (control === undefined) return 1;
  const frames = new DataView(bytes.buffer, bytes.byteOffset).getUint32(control.start + 8);
  const indexOf = (wanted: string): number => chunks.findIndex(({ name }) => name === wanted);
  // Programs without support for animations show a picture that comes before the first frame.
  return Math.max(1, frames + (indexOf('fcTL') > indexOf('IDAT') ? 1 : 0));
}

/** The PNG with its EXIF data moved before the pixels: the library ignores it after them. */
export function withEarlyExif(bytes: Uint8Array): Uint8Array {
  const chunks = findPngChunks(bytes) ?? [];
  const exif = chunks.findIndex(({ name }) => name === 'eXIf');
  const pixels = chunks.find(({ name }) => name === 'IDAT');
  const late = chunks[exif];
  if (late === undefined || pixels === undefined || late.start < pixels.start) return bytes;
  return joined([
    bytes.subarray(0, pixels.start),
    bytes.subarray(late.start, late.end),
    bytes.subarray(pixels.start, late.start),
    bytes.subarray(late.end),
  ]);
}

/** Concatenates parts. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
