import { hashBytes } from '../../kernel/text-hash.ts';

/** Number of hashed frequencies per axis. */
const frequencies = 8;
/** Weaker frequencies are encoding noise. */
const weakest = 2;

/**
 * A 64-bit hash of a square of brightness values, and its mean. Each bit tells whether one of the lowest frequencies
 * (in both directions, from 1; discrete cosine transform, type II) is above their median. Plain squares, and those that
 * vary in one direction only, have no such frequency and would all look alike: their hash is one of their pixels.
 */
export function hashPicture(pixels: Uint8Array, side: number): { low: number; high: number; mean: number } {
  const cosines = cosinesOf(side);
  const rows = new Float64Array(frequencies * side);
  for (let y = 0; y < side; y += 1) {
    for (let u = 0; u < frequencies; u += 1) {
      let sum = 0;
      for (let x = 0; x < side; x += 1) sum += (pixels[y * side + x] ?? 0) * (cosines[u * side + x] ?? 0);
      rows[u * side + y] = sum;
    }
  }
  const values = new Float64Array(frequencies * frequencies);
  for (let u = 0; u < frequencies; u += 1) {
    for (let v = 0; v < frequencies; v += 1) {
      let sum = 0;
      for (let y = 0; y < side; y += 1) sum += (rows[u * side + y] ?? 0) * (cosines[v * side + y] ?? 0);
      values[u * frequencies + v] = sum / side;
    }
  }
  const median = values.toSorted()[values.length >> 1] ?? 0;
  let low = 0;
  let high = 0;
  for (const [bit, value] of values.entries()) {
    if (value - median <= weakest) continue;
    if (bit < 32) low |= 1 << bit;
    else high |= 1 << (bit - 32);
  }
  if (low === 0 && high === 0) {
    const words = new Uint32Array(2);
    hashBytes([pixels], words);
    [low = 0, high = 0] = words;
  }
  const mean = Math.round(pixels.reduce((sum, pixel) => sum + pixel, 0) / pixels.length);
  return { low: low >>> 0, high: high >>> 0, mean };
}

const known = new Map<number, Float64Array>();

function cosinesOf(side: number): Float64Array {
  const made =
    known.get(side) ??
    Float64Array.from({ length: frequencies * side }, (_, at) => {
      const [frequency, x] = [Math.floor(at / side), at % side];
      return Math.cos((Math.PI * (frequency + 1) * (2 * x + 1)) / (2 * side));
    });
  known.set(side, made);
  return made;
}
