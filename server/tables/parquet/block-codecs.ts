import { brotliDecompressSync, unzipSync, zstdDecompressSync } from 'node:zlib';

/** The codecs of Parquet by their numbers. */
export const codecs = { none: 0, snappy: 1, gzip: 2, brotli: 4, lz4: 5, zstd: 6, lz4Raw: 7 } as const;

/** The bytes can't be unpacked. */
export class BlockDamage extends Error {
  override readonly name = 'BlockDamage';
}

/** Unpacks a page to exactly `sizeBytes`. */
export function unpackBlock(codec: number, bytes: Buffer, sizeBytes: number): Buffer {
  // Some writers leave a page without values unpacked.
  if (sizeBytes === 0) return bytes.subarray(0, 0);
  const unpacked = unpackAny(codec, bytes, sizeBytes);
  if (unpacked.length !== sizeBytes) throw new BlockDamage('a page has another size');
  return unpacked;
}

function unpackAny(codec: number, bytes: Buffer, sizeBytes: number): Buffer {
  const limit = { maxOutputLength: sizeBytes };
  switch (codec) {
    case codecs.none:
      return bytes;
    case codecs.snappy:
      return unpackSnappy(bytes, sizeBytes);
    case codecs.gzip:
      return unzipSync(bytes, limit);
    case codecs.brotli:
      return brotliDecompressSync(bytes, limit);
    case codecs.zstd:
      return zstdDecompressSync(bytes, limit);
    case codecs.lz4:
      return unpackHadoop(bytes, sizeBytes) ?? unpackLz4(bytes, sizeBytes);
    case codecs.lz4Raw:
      return unpackLz4(bytes, sizeBytes);
    default:
      throw new BlockDamage(`the codec ${codec} is unknown`);
  }
}

/** Blocks of Hadoop, each after its two sizes; undefined if the bytes are none, as of writers that leave the sizes out. */
function unpackHadoop(bytes: Buffer, sizeBytes: number): Buffer | undefined {
  const parts: Buffer[] = [];
  let [at, total] = [0, 0];
  try {
    while (at < bytes.length) {
      const [unpacked, packed] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
      at += 8;
      if (unpacked > sizeBytes - total || packed > bytes.length - at) return undefined;
      parts.push(unpackLz4(bytes.subarray(at, at + packed), unpacked));
      total += unpacked;
      at += packed;
    }
  } catch (error) {
    if (error instanceof BlockDamage || error instanceof RangeError) return undefined;
    throw error;
  }
  return total === sizeBytes ? Buffer.concat(parts) : undefined;
}

/** A block of LZ4 without a frame. */
export function unpackLz4(bytes: Buffer, sizeBytes: number): Buffer {
  const target = Buffer.allocUnsafe(sizeBytes);
  let [at, end] = [0, 0];
  const lengthOf = (first: number): number => {
    let length = first;
    if (first !== 15) return length;
    for (let next = 255; next === 255; length += next) next = byteAt(bytes, at++);
    return length;
  };
  while (at < bytes.length) {
    const token = byteAt(bytes, at++);
    const literals = lengthOf(token >> 4);
    if (literals > bytes.length - at || literals > sizeBytes - end) throw new BlockDamage('a literal is too long');
    bytes.copy(target, end, at, at + literals);
    at += literals;
    end += literals;
    if (at === bytes.length) break;
    const offset = byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8);
    at += 2;
    end = repeat(target, { end, offset, length: lengthOf(token & 15) + 4 });
  }
  return target.subarray(0, end);
}

export function unpackSnappy(bytes: Buffer, sizeBytes: number): Buffer {
  let [at, end, stated] = [0, 0, 0];
  for (let shift = 0; shift < 35; shift += 7) {
    const next = byteAt(bytes, at++);
    stated += (next & 0x7f) * 2 ** shift;
    if (next < 0x80) break;
  }
  if (stated !== sizeBytes) throw new BlockDamage('a page has another size');
  const target = Buffer.allocUnsafe(sizeBytes);
  const number = (length: number): number => {
    if (length > bytes.length - at) throw new BlockDamage('it ends early');
    at += length;
    return bytes.readUIntLE(at - length, length);
  };
  while (at < bytes.length) {
    const tag = byteAt(bytes, at++);
    const upper = tag >> 2;
    if ((tag & 3) === 0) {
      const length = 1 + (upper < 60 ? upper : number(upper - 59));
      if (length > bytes.length - at || length > sizeBytes - end) throw new BlockDamage('a literal is too long');
      bytes.copy(target, end, at, at + length);
      at += length;
      end += length;
    } else if ((tag & 3) === 1) {
      const offset = ((tag >> 5) << 8) | number(1);
      end = repeat(target, { end, offset, length: 4 + (upper & 7) });
    } else {
      const offset = number((tag & 3) === 2 ? 2 : 4);
      end = repeat(target, { end, offset, length: 1 + upper });
    }
  }
  return target.subarray(0, end);
}

/** Repeats earlier bytes, which may overlap with what they become; returns the new end. */
function repeat(target: Buffer, { end, offset, length }: { end: number; offset: number; length: number }): number {
  if (offset === 0 || offset > end || length > target.length - end) throw new BlockDamage('a copy leads outside');
  if (offset >= length) target.copyWithin(end, end - offset, end - offset + length);
  else for (let index = end; index < end + length; index += 1) target[index] = target[index - offset] ?? 0;
  return end + length;
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new BlockDamage('it ends early');
  return byte;
}
