/** Seeds the random numbers of the places in one file. */
export type PlaceKey = { readonly high: number; readonly low: number };

/** Hashes a seed and a file's path to 64 bits, as two words. */
export function placeKey(seed: number, path: string): PlaceKey {
  let high = mix(seed ^ 0x9e37_79b9);
  let low = mix(Math.floor(seed / 2 ** 32) ^ high ^ 0x85eb_ca6b);
  for (let at = 0; at < path.length; at += 1) {
    const unit = path.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x0100_0193);
    low = Math.imul(low ^ unit, 0x5bd1_e995) ^ (low >>> 15);
  }
  return { high: mix(high), low: mix(low) };
}

/**
 * A number in [0, 1) for the row `row` after byte `position` of the file: uniform, reproducible, and independent of the
 * numbers of all other places.
 */
export function priorityOf({ high, low }: PlaceKey, position: number, row: number): number {
  const near = position >>> 0;
  const far = Math.floor(position / 2 ** 32);
  const one = mix(mix(mix(high ^ near) ^ far) + Math.imul(row, 0x9e37_79b1));
  const other = mix(mix(mix(low ^ Math.imul(row, 0x85eb_ca77)) ^ near) + Math.imul(far, 0xc2b2_ae3d));
  return ((one >>> 0) * 2 ** 21 + (other >>> 11)) / 2 ** 53;
}

/** The last step of MurmurHash3: each bit of the result depends on all bits of the word. */
function mix(word: number): number {
  let hash = word | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}
