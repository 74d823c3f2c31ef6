// Pictures for tests, made from words such as `JPEG 640×480, turned`.
import sharp from 'sharp';
import type { Media } from '../../server/operators/index.ts';

type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif';

const words = /^(JPEG|PNG|WEBP|GIF|TIFF|AVIF) (\d+)×(\d+)(?:, (.*))?$/;

/** A picture of a few shapes, the same for the same words; another `seed` gives other shapes. */
export async function makePicture(text: string, seed = 1): Promise<Media> {
  const [, name = '', width = '0', height = '0', rest = ''] = words.exec(text) ?? [];
  if (name === '') throw new Error(`No picture: ${text}`);
  const traits = rest === '' ? [] : rest.split(', ');
  const format = name.toLowerCase() as Format;
  const type = `image/${format}`;
  if (traits.includes('empty')) return { type, bytes: new Uint8Array(0) };
  const bytes = await encoded({ format, width: Number(width), height: Number(height), traits, seed });
  return { type, bytes: traits.includes('cut off') ? bytes.subarray(0, bytes.length >> 1) : bytes };
}

type Wanted = { format: Format; width: number; height: number; traits: readonly string[]; seed: number };

async function encoded({ format, width, height, traits, seed }: Wanted): Promise<Uint8Array> {
  const number = (trait: string): number | undefined => {
    const found = traits.find((one) => one.startsWith(`${trait} `) || one.endsWith(` ${trait}`));
    return found === undefined ? undefined : Number(/\d+/.exec(found)?.[0]);
  };
  const frames = number('frames') ?? 1;
  const plain = number('plain');
  const pixels = Buffer.concat(
    Array.from({ length: frames }, (_, frame) =>
      draw(width, height, { seed: seed + frame + (traits.includes('other') ? 100 : 0), plain }),
    ),
  );
  const raw = { width, height: height * frames, channels: 3 as const, ...(frames > 1 ? { pageHeight: height } : {}) };
  let image = sharp(pixels, { raw });
  if (traits.includes('noisy')) {
    const noisy = Buffer.from(pixels);
    for (let at = 0; at < noisy.length; at += 97) noisy[at] = 255 - (noisy[at] ?? 0);
    image = sharp(noisy, { raw });
  }
  const radius = number('blurred');
  if (radius !== undefined) image = image.blur(radius);
  if (traits.includes('grey')) image = image.grayscale().toColourspace('b-w');
  if (traits.includes('CMYK')) image = image.toColourspace('cmyk');
  if (traits.includes('16 bit')) image = image.toColourspace('rgb16');
  if (traits.includes('turned')) image = image.withMetadata({ orientation: 6 });
  if (traits.includes('with GPS')) {
    image = image.withExif({
      IFD0: { Make: 'Camera' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSLongitudeRef: 'W', GPSLongitude: '0/1 7/1 0/1' },
    });
  }
  return image.toFormat(format, format === 'jpeg' ? { quality: number('quality') ?? 92 } : {}).toBuffer();
}

/** Circles and a gradient, in colours; or a plain grey. */
function draw(width: number, height: number, { seed, plain }: { seed: number; plain: number | undefined }): Buffer {
  const pixels = Buffer.alloc(width * height * 3, plain ?? 0);
  if (plain !== undefined) return pixels;
  const circles = Array.from({ length: 12 }, (_, index) => ({
    x: chance(seed * 31 + index, 1),
    y: chance(seed * 31 + index, 2),
    r: 0.05 + chance(seed * 31 + index, 3) * 0.2,
    colour: [0, 1, 2].map((channel) => Math.floor(chance(seed * 31 + index, 4 + channel) * 256)),
  }));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const place = { x: x / width, y: y / height };
      const circle = circles.find(({ x: left, y: top, r }) => (place.x - left) ** 2 + (place.y - top) ** 2 < r * r);
      for (let channel = 0; channel < 3; channel += 1) {
        const ground = channel === seed % 3 ? place.x * 200 : place.y * 120 + 40;
        pixels[(y * width + x) * 3 + channel] = circle?.colour[channel] ?? ground;
      }
    }
  }
  return pixels;
}

/** A pseudo-random number from 0 to 1, the same for the same arguments. */
function chance(seed: number, salt: number): number {
  let value = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(salt, 0xc2b2_ae35);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b_3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a_2d39);
  return ((value ^ (value >>> 15)) >>> 0) / 2 ** 32;
}

/** Describes a media file in the words that `like` uses; its declared type must match its content. */
export async function describePicture({ type, bytes }: Media, like: string): Promise<string> {
  const found = await sharp(bytes, { animated: true }).metadata();
  const format = found.format === 'heif' ? 'avif' : found.format;
  if (type !== `image/${format}`) return `${type} holds ${format}`;
  const parts = [`${format.toUpperCase()} ${found.width}×${found.pageHeight ?? found.height}`];
  if ((found.pages ?? 1) > 1) parts.push(`${found.pages} frames`);
  if (found.channels < 3) parts.push('grey');
  if (found.depth === 'ushort') parts.push('16 bit');
  if ((found.orientation ?? 1) > 1) parts.push('turned');
  if (found.exif !== undefined && found.exif.includes('Camera')) parts.push('with GPS');
  if (like.includes('brightness')) {
    const { channels } = await sharp(bytes).grayscale().stats();
    parts.push(`brightness ${Math.round(channels[0]?.mean ?? 0)}`);
  }
  return parts.join(', ');
}
