/** Bits of the largest set: with more text, a block is more often a false positive. */
const maxBits = 22;
const minBits = 10;
/** Minimum bits per byte of text: prose then sets about 15 % of them. */
const bitsPerByte = 0.75;

const short = 3;
const long = 5;

/** Grams of a search that are looked up: further ones hardly narrow the result. */
const maxLookedUp = 24;

/**
 * Bloom-like set of the 3-byte and 5-byte grams in the texts of a block of rows: false positives, no false negatives.
 */
export type GramSet = {
  add(text: Uint8Array): void;
  /** Returns the set as 2^n bits, and begins an empty one. */
  take(): Uint8Array;
};

export function createGramSet(): GramSet {
  const bytes = new Uint8Array(1 << (maxBits - 3));
  const words = new Uint32Array(bytes.buffer);
  let textBytes = 0;

  function set(hash: number): void {
    const place = hash & ((1 << maxBits) - 1);
    bytes[place >>> 3] = (bytes[place >>> 3] ?? 0) | (1 << (place & 7));
  }

  return {
    add(text) {
      textBytes += text.length;
      let last = 0;
      for (let at = 0; at < text.length; at++) {
        const before = last >>> 24;
        last = (last << 8) | (text[at] ?? 0);
        if (at >= short - 1) set(hashOfShort(last));
        if (at >= long - 1) set(hashOfLong(before, last));
      }
    },
    take() {
      const bits = Math.min(maxBits, Math.max(minBits, Math.ceil(Math.log2(textBytes * bitsPerByte + 1))));
      // Folds the set: the lower bits of a hash are its position in the smaller set.
      for (let size = words.length; size > 1 << (bits - 5); size >>= 1)
        for (let at = 0; at < size >> 1; at++) words[at] = (words[at] ?? 0) | (words[at + (size >> 1)] ?? 0);
      const taken = bytes.slice(0, 1 << (bits - 3));
      bytes.fill(0);
      textBytes = 0;
      return taken;
    },
  };
}

/** Hashes of the grams that every text containing `text` has; none for fewer than three bytes. */
export function gramsOf(text: Uint8Array): number[] {
  const grams: number[] = [];
  const size = text.length >= long ? long : short;
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const before = last >>> 24;
    last = (last << 8) | (text[at] ?? 0);
    if (at >= size - 1) grams.push(size === long ? hashOfLong(before, last) : hashOfShort(last));
  }
  const all = [...new Set(grams)];
  const step = Math.max(1, all.length / maxLookedUp);
  return Array.from({ length: Math.min(all.length, maxLookedUp) }, (_, index) => all[Math.floor(index * step)] ?? 0);
}

/** Hash of the last three bytes. */
function hashOfShort(last: number): number {
  return mix(Math.imul(last & 0xffffff, 0x9e3779b1));
}

/** Hash of the last four bytes and the one before them. */
function hashOfLong(before: number, last: number): number {
  return mix(Math.imul(last ^ Math.imul(before + 1, 0x85ebca6b), 0xc2b2ae35));
}

function mix(hash: number): number {
  return hash ^ (hash >>> 15);
}
