import { findPngChunks, joined, pngSignatureBytes } from './png-chunks.ts';
import type { PictureFormat } from './pictures.ts';

const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

/**
 * The file without private data: metadata, comments, texts, data added by programs, and data after its end. The pixels
 * stay byte-identical. Returns the same bytes if there is nothing to remove; undefined if the picture must be
 * re-encoded for it.
 */
export function withoutPrivateData(bytes: Uint8Array, format: PictureFormat): Uint8Array | undefined {
  const parts = partsOf[format](bytes);
  if (parts === undefined) return undefined;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length === bytes.length ? bytes : joined(parts);
}

type Parts = (bytes: Uint8Array) => Uint8Array[] | undefined;

const partsOf: Record<PictureFormat, Parts> = {
  jpeg: partsOfJpeg,
  png: partsOfPng,
  gif: partsOfGif,
  webp: partsOfWebp,
  tiff: (bytes) => (isPlainTiff(bytes) ? [bytes] : undefined),
  avif: (bytes) => (isPlainAvif(bytes) ? [bytes] : undefined),
};

/** Ancillary chunks that affect how a picture looks. */
const pngLooks = new Set(
  'tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV mDCv cLLI cLLi bKGD hIST pHYs acTL fcTL fdAT'.split(' '),
);

function partsOfPng(bytes: Uint8Array): Uint8Array[] | undefined {
  const kept = findPngChunks(bytes)?.filter(({ name }) => /^[A-Z]/.test(name) || pngLooks.has(name));
  return kept && [bytes.subarray(0, pngSignatureBytes), ...kept.map(({ start, end }) => bytes.subarray(start, end))];
}

/** Size of the JFIF segment without a thumbnail. */
const plainJfif = 18;

/** Segments of a JPEG (ITU T.81, annex B) up to its end. */
function partsOfJpeg(bytes: Uint8Array): Uint8Array[] | undefined {
  const parts = [bytes.subarray(0, 2)];
  for (let at = 2; at + 1 < bytes.length;) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return undefined;
    if (marker === 0xff) at += 1;
    else if (marker === 0xd9) return [...parts, bytes.subarray(at, at + 2)];
    else {
      const end = at + 2 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0));
      if (end < at + 4 || end > bytes.length) return undefined;
      const next = marker === 0xda ? endOfScan(bytes, end) : end;
      parts.push(...partsOfSegment(bytes.subarray(at, next), marker));
      at = next;
    }
  }
  return undefined;
}

function partsOfSegment(segment: Uint8Array, marker: number): Uint8Array[] {
  const isNamed = (name: string): boolean => ascii(segment, 4, 4 + name.length) === name;
  if (marker === 0xfe) return [];
  if (marker < 0xe0 || marker > 0xef) return [segment];
  if (marker === 0xe2 && isNamed('ICC_PROFILE\0')) return [segment];
  if (marker === 0xee && isNamed('Adobe')) return [segment];
  if (marker !== 0xe0 || !isNamed('JFIF\0') || segment.length < plainJfif) return [];
  if (segment.length === plainJfif) return [segment];
  // Cuts off the thumbnail.
  const plain = segment.slice(0, plainJfif);
  plain.set([0, plainJfif - 2], 2);
  plain.set([0, 0], plainJfif - 2);
  return [plain];
}

/** The next marker that is not part of the pixel data. */
function endOfScan(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    const isPixels = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isPixels) return at;
  }
  return bytes.length;
}

/** Application extensions for the number of repetitions, and for colours. */
const gifLooks = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

/** Blocks of a GIF up to its trailer. */
function partsOfGif(bytes: Uint8Array): Uint8Array[] | undefined {
  let at = 13 + tableBytes(bytes[10] ?? 0);
  const parts = [bytes.subarray(0, at)];
  while (at < bytes.length) {
    const [kind, label] = [bytes[at], bytes[at + 1]];
    if (kind === 0x3b) return [...parts, bytes.subarray(at, at + 1)];
    if (kind !== 0x21 && kind !== 0x2c) return undefined;
    const end = endOfSubBlocks(bytes, kind === 0x21 ? at + 2 : at + 11 + tableBytes(bytes[at + 9] ?? 0));
    if (end === undefined) return undefined;
    const isLook = label === 0xf9 || (label === 0xff && gifLooks.has(ascii(bytes, at + 3, at + 14)));
    if (kind === 0x2c || isLook) parts.push(bytes.subarray(at, end));
    at = end;
  }
  return undefined;
}

function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

function endOfSubBlocks(bytes: Uint8Array, start: number): number | undefined {
  for (let at = start; at < bytes.length;) {
    const size = bytes[at] ?? 0;
    at += size + 1;
    if (size === 0) return at;
  }
  return undefined;
}

const webpLooks = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
/** Flags of the chunk `VP8X`: EXIF and XMP. */
const webpMetadata = 0x0c;

/** Chunks of a WebP (RFC 9649). */
function partsOfWebp(bytes: Uint8Array): Uint8Array[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = 8 + view.getUint32(4, true);
  if (whole > bytes.length) return undefined;
  const parts: Uint8Array[] = [];
  for (let at = 12; at + 8 <= whole;) {
    const size = view.getUint32(at + 4, true);
    const end = at + 8 + size + (size & 1);
    if (end > whole) return undefined;
    if (webpLooks.has(ascii(bytes, at, at + 4))) parts.push(bytes.slice(at, end));
    at = end;
  }
  const head = bytes.slice(0, 12);
  new DataView(head.buffer).setUint32(
    4,
    parts.reduce((sum, { length }) => sum + length, 4),
    true,
  );
  const [first] = parts;
  if (first !== undefined && ascii(first, 0, 4) === 'VP8X') first[8] = (first[8] ?? 0) & ~webpMetadata;
  return [head, ...parts];
}

/** Tags that are needed to decode pixels, and those of resolution and colour (TIFF 6.0). */
const tiffLooks = new Set(
  `254 255 256 257 258 259 262 263 266 273 274 277 278 279 280 281 282 283 284 286 287 290 291 292
  293 296 297 301 317 318 319 320 321 322 323 324 325 332 334 338 339 340 341 347 529 530 531 532 34675`
    .split(/\s+/)
    .map(Number),
);

/** Whether the single directory of a TIFF (the library reads no others) has no other tags; a BigTIFF is re-encoded. */
function isPlainTiff(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isLittle = bytes[0] === 0x49;
  if (view.getUint16(2, isLittle) !== 42) return false;
  const start = view.getUint32(4, isLittle);
  if (start + 2 > bytes.length) return false;
  const count = view.getUint16(start, isLittle);
  if (start + 2 + 12 * count > bytes.length) return false;
  return Array.from({ length: count }, (_, index) => view.getUint16(start + 2 + 12 * index, isLittle)).every((tag) =>
    tiffLooks.has(tag),
  );
}

/** Whether an AVIF has only the boxes of a picture; its EXIF and XMP are items inside them. */
function isPlainAvif(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length;) {
    const isBox = at + 8 <= bytes.length && ['ftyp', 'meta', 'mdat'].includes(ascii(bytes, at + 4, at + 8));
    const size = isBox ? view.getUint32(at) : 0;
    if (size < 8 || at + size > bytes.length) return false;
    at += size;
  }
  return true;
}
