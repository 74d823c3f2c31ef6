import type { Sharp, SharpConstructor } from 'sharp';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { pictureProblems, type Reason } from '../../kernel/sentences/index.ts';
import type { Media } from '../sample.ts';
import { countPngFrames, isPng, withEarlyExif } from './png-chunks.ts';

/** The formats that can be read and written. */
export const pictureTypes = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  tiff: 'image/tiff',
  avif: 'image/avif',
} as const;
export type PictureFormat = keyof typeof pictureTypes;

/** Facts about a picture before its pixels are read. Width and height are those of a frame as displayed. */
export type PictureFacts = {
  readonly format: PictureFormat;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly depth: 8 | 16;
  /** Whether its EXIF orientation rotates or mirrors it. */
  readonly isTurned: boolean;
  /** Whether it has EXIF, XMP or IPTC. */
  readonly hasMetadata: boolean;
  readonly isGrey: boolean;
  readonly isCmyk: boolean;
};

/** One change of a picture. */
export type PictureEdit = {
  readonly apply?: (image: Sharp) => Sharp;
  /** The facts that change. */
  readonly facts?: Partial<PictureFacts>;
  /** Whether the orientation is applied first, so that sides and edges are those that people see. */
  readonly isUpright?: boolean;
  readonly quality?: number;
  /** The colour behind transparent pixels in a format without transparency, as `#rrggbb`. */
  readonly background?: string;
};

/** A picture between two steps; the last edit is applied later, so that a single edit needs no intermediate stage. */
export type Picture = {
  readonly input: Uint8Array;
  readonly before: PictureFacts;
  readonly edit: PictureEdit | undefined;
  readonly facts: PictureFacts;
  readonly quality: number | undefined;
  readonly background?: string | undefined;
};

/** Larger pictures are not decoded: a small file can claim any size. */
export const maxPixels = 100_000_000;
const defaultQuality = { jpeg: 90, webp: 85, avif: 60 };

/** A file has no readable picture. */
export class PictureProblem extends ReasonedError {
  override readonly name = 'PictureProblem';
}

const opened = new WeakMap<Media, Promise<Picture>>();
let library: Promise<SharpConstructor> | undefined;

/** Loads the library for the first picture: with one thread per worker, and without a cache between pictures. */
async function loadSharp(): Promise<SharpConstructor> {
  library ??= import('sharp').then(({ default: sharp }) => {
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return library;
}

/** The picture in a media file, read once per chain; throws with the reason if it can't be read. */
export function openPicture(media: Media): Promise<Picture> {
  const known = opened.get(media) ?? readPicture(media);
  opened.set(media, known);
  return known;
}

/** Whether the media type matches the actual format. */
export function hasRightName({ type }: Media, { format }: PictureFacts): boolean {
  return type === pictureTypes[format];
}

async function readPicture({ type, bytes }: Media): Promise<Picture> {
  if (bytes.length === 0) throw new PictureProblem(pictureProblems.PICTURE_EMPTY.reason({}));
  if (type === 'image/svg+xml' || isSvg(bytes)) throw new PictureProblem(pictureProblems.PICTURE_IS_SVG.reason({}));
  if (!type.startsWith('image/')) throw new PictureProblem(pictureProblems.NO_PICTURE.reason({ type }));
  const sharp = await loadSharp();
  const input = isPng(bytes) ? withEarlyExif(bytes) : bytes;
  const found = await sharp(input, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw new PictureProblem(problemOf(error));
    });
  const format = found.format === 'heif' && found.compression === 'av1' ? 'avif' : found.format;
  if (!isKnown(format))
    throw new PictureProblem(pictureProblems.PICTURE_FORMAT.reason({ format: format.toUpperCase() }));
  const frames = format === 'tiff' ? 1 : (found.pages ?? 1);
  const height = found.pageHeight ?? found.height;
  if (found.width * height * frames > maxPixels) {
    const size = `${found.width}×${height}${frames > 1 ? `×${frames}` : ''}`;
    throw new PictureProblem(pictureProblems.PICTURE_TOO_LARGE.reason({ size, limit: maxPixels }));
  }
  if (format === 'tiff' && (found.pages ?? 1) > 1) {
    throw new PictureProblem(pictureProblems.PICTURE_PAGES.reason({ pages: found.pages ?? 1 }));
  }
  const { orientation = 1 } = found;
  const isOnSide = orientation >= 5;
  const facts: PictureFacts = {
    format,
    width: isOnSide ? height : found.width,
    height: isOnSide ? found.width : height,
    frames: format === 'png' ? countPngFrames(bytes) : frames,
    depth: found.depth === 'ushort' ? 16 : 8,
    isTurned: orientation > 1,
    hasMetadata: found.exif !== undefined || found.xmp !== undefined || found.iptc !== undefined,
    isGrey: found.channels < 3,
    isCmyk: found.space === 'cmyk',
  };
  return { input, before: facts, edit: undefined, facts, quality: undefined };
}

/** The picture with an edit, which is applied when its pixels are needed. */
export async function editPicture(picture: Picture, edit: PictureEdit): Promise<Picture> {
  const facts = { ...picture.facts, ...edit.facts, ...(edit.isUpright === true ? { isTurned: false } : {}) };
  return {
    ...(await settled(picture)),
    edit,
    facts,
    quality: edit.quality ?? picture.quality,
    background: edit.background ?? picture.background,
  };
}

const settledPictures = new WeakMap<Picture, Promise<Picture>>();

/** Applies the pending edit: within one call, the library would apply all changes in an order of its own. */
function settled(picture: Picture): Promise<Picture> {
  if (picture.edit === undefined) return Promise.resolve(picture);
  const known =
    settledPictures.get(picture) ??
    stage(picture).then(({ data, facts }) => ({ ...picture, input: data, before: facts, edit: undefined, facts }));
  settledPictures.set(picture, known);
  return known;
}

/** Forgets what was read of a media file; it is read again on demand. */
export function forgetPicture(media: Media): void {
  opened.delete(media);
}

/** The first frame as displayed, as WebP of at most `side` × `side`; damaged pixels as far as they can be read. */
export async function facePicture(media: Media, side: number): Promise<Uint8Array> {
  const { input } = await settled(await openPicture(media));
  const sharp = await loadSharp();
  const image = sharp(input, { limitInputPixels: maxPixels, failOn: 'none', sequentialRead: true });
  const small = image.autoOrient().resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
  return bytesOf(small.webp({ quality: 75, effort: 0 }));
}

/** A JPEG and a PNG of RGB pixels, rotated by their metadata. */
export async function drawPictures(pixels: Uint8Array, size: { width: number; height: number }): Promise<Media[]> {
  const sharp = await loadSharp();
  const image = sharp(pixels, { raw: { ...size, channels: 3 } }).withMetadata({ orientation: 6 });
  return [
    { type: pictureTypes.jpeg, bytes: await bytesOf(image.clone().jpeg({ quality: defaultQuality.jpeg })) },
    { type: pictureTypes.png, bytes: await bytesOf(image.clone().png()) },
  ];
}

/** A media file that is encoded after the last step. */
export function mediaOf(picture: Picture): Media {
  const media: Media = {
    type: pictureTypes[picture.facts.format],
    bytes: new Uint8Array(0),
    encode: async () => encode((await settledPictures.get(picture)) ?? picture),
  };
  opened.set(media, Promise.resolve(picture));
  return media;
}

/** The brightness of the first frame as displayed, 0 to 255, row by row, scaled down to a longest side. */
export async function readGrey(
  picture: Picture,
  size: { longest: number } | { side: number },
): Promise<{ pixels: Uint8Array; width: number; height: number }> {
  const image = await openImage(await settled(picture), 1);
  const box = 'side' in size ? { width: size.side, height: size.side } : { width: size.longest, height: size.longest };
  const { data, info } = await image
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize({ ...box, fit: 'side' in size ? 'fill' : 'inside', withoutEnlargement: !('side' in size) })
    .toColourspace('b-w')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch((error: unknown) => {
      throw new PictureProblem(problemOf(error));
    });
  const { channels } = info;
  const pixels =
    channels === 1 ? data : Uint8Array.from({ length: info.width * info.height }, (_, at) => data[at * channels] ?? 0);
  return { pixels, width: info.width, height: info.height };
}

/** Brightness in the form of a media file, for a step that hashes it. */
export function mediaOfGrey({ pixels }: { pixels: Uint8Array }): Media {
  return { type: 'image/x-grey', bytes: pixels };
}

/** Decodes all pixels; throws with the reason if some are missing. */
export async function checkPicture(picture: Picture): Promise<void> {
  const image = await openImage(await settled(picture), picture.facts.frames);
  // Everything is decoded, but only a few pixels are kept.
  await image
    .resize(8, 8, { fit: 'fill', kernel: 'nearest' })
    .raw()
    .toBuffer()
    .catch((error: unknown) => {
      throw new PictureProblem(problemOf(error));
    });
}

async function openImage({ input, edit }: Picture, frames: number): Promise<Sharp> {
  const sharp = await loadSharp();
  const image = sharp(input, {
    limitInputPixels: maxPixels,
    failOn: 'warning',
    sequentialRead: true,
    ...(frames > 1 ? { animated: true } : {}),
  });
  return edit === undefined ? image : applied(image, edit);
}

function applied(image: Sharp, { apply = (same) => same, isUpright = false }: PictureEdit): Sharp {
  return apply(isUpright ? image.autoOrient() : image);
}

/** The edited picture in a lossless form that is quick to read, for the next step. */
async function stage(picture: Picture): Promise<{ data: Uint8Array; facts: PictureFacts }> {
  const image = await withAll(picture);
  const { frames } = picture.facts;
  const staged = frames > 1 ? image.webp({ lossless: true, effort: 0 }) : image.png({ compressionLevel: 0 });
  return { data: await bytesOf(staged), facts: { ...picture.facts, isCmyk: false } };
}

async function encode(picture: Picture): Promise<Uint8Array> {
  const { facts, quality, background = '#ffffff' } = picture;
  const image = await withAll(picture);
  switch (facts.format) {
    case 'jpeg':
      return bytesOf(image.flatten({ background }).jpeg({ quality: quality ?? defaultQuality.jpeg }));
    case 'webp':
      return bytesOf(image.webp({ quality: quality ?? defaultQuality.webp }));
    case 'avif':
      return bytesOf(image.avif({ quality: quality ?? defaultQuality.avif }));
    case 'png':
      return bytesOf(image.png());
    case 'gif':
      // The source's palette has the colours before the edit.
      return bytesOf(image.gif({ reuse: false }));
    case 'tiff':
      return bytesOf(image.tiff({ compression: 'lzw' }));
  }
}

/** The edited picture with its colour profile, bit depth and, unless removed, its metadata. */
async function withAll(picture: Picture): Promise<Sharp> {
  const { before, facts } = picture;
  let image = await openImage(picture, before.frames);
  image = before.isCmyk ? image.withIccProfile('srgb') : image.keepIccProfile();
  if (facts.hasMetadata) image = image.keepExif().keepXmp();
  if (facts.depth === 16) return image.toColourspace(facts.isGrey ? 'grey16' : 'rgb16');
  return facts.isGrey ? image.toColourspace('b-w') : image;
}

async function bytesOf(image: Sharp): Promise<Uint8Array> {
  try {
    const { buffer, byteOffset, length } = await image.toBuffer();
    return new Uint8Array(buffer, byteOffset, length);
  } catch (error) {
    throw new PictureProblem(problemOf(error), { cause: error });
  }
}

function isKnown(format: string | undefined): format is PictureFormat {
  return format !== undefined && Object.hasOwn(pictureTypes, format);
}

function isSvg(bytes: Uint8Array): boolean {
  const head = new TextDecoder().decode(bytes.subarray(0, 1000));
  return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/.test(head);
}

/** The library's reason why it can't read a picture, in our words where possible. */
function problemOf(error: unknown): Reason {
  const message = error instanceof Error ? error.message : String(error);
  if (/unsupported image format|unsupported codec|bad seek|compression format has not been built in/i.test(message)) {
    return pictureProblems.PICTURE_UNKNOWN.reason({});
  }
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  // A write error is only the consequence of a read error.
  const why = lines.findLast((line) => !/unable to write|write to target/.test(line)) ?? lines.at(-1) ?? '';
  return pictureProblems.PICTURE_BROKEN.reason({ why: why.trim() });
}
