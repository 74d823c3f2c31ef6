export const hashDimensions = 512;

const gramWeight = 0.5;

/**
 * Lexical embedding (feature hashing, Weinberger et al. 2009): words and character trigrams within them, or unigrams
 * and bigrams in scripts without spaces, each hashed to a dimension and a sign, weighted by 1 + ln(count); the vector
 * has length 1. Texts that share words are close to each other; it captures no meaning. A text without words is the
 * zero vector. `weightOf` weighs features further, such as the rare words of a query.
 */
export function hashEmbedding(text: string, weightOf: (feature: number) => number = () => 1): Float32Array {
  const vector = new Float32Array(hashDimensions);
  let squares = 0;
  countFeatures(text.normalize('NFKC').toLowerCase());
  for (let place = 0; place < counted.size; place++) {
    const slot = counted.slots[place] ?? 0;
    const [feature, count] = [counted.features[slot] ?? 0, counted.counts[slot] ?? 0];
    const weight = (count === 1 ? 1 : 1 + Math.log(count)) * (feature & 1 ? 1 : gramWeight) * weightOf(feature);
    const at = (feature >>> 1) & (hashDimensions - 1);
    vector[at] = (vector[at] ?? 0) + (feature >>> 31 === 1 ? -weight : weight);
  }
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const scale = 1 / Math.sqrt(squares);
  for (let at = 0; at < hashDimensions; at++) vector[at] = (vector[at] ?? 0) * scale;
  return vector;
}

const word = /[\p{L}\p{M}\p{N}]+/gu;
const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The features of a text and their counts. */
export function hashFeatures(text: string): Map<number, number> {
  countFeatures(text.normalize('NFKC').toLowerCase());
  return new Map(
    Array.from(counted.slots.subarray(0, counted.size), (slot) => [
      counted.features[slot] ?? 0,
      counted.counts[slot] ?? 0,
    ]),
  );
}

/** The features of the last counted text in order of occurrence, in a hash table that all texts share: twice as fast as a Map. */
const counted = {
  features: new Int32Array(1 << 13),
  /** 0: the slot is free. */
  counts: new Int32Array(1 << 13),
  slots: new Int32Array(1 << 12),
  size: 0,
};

function count(feature: number): void {
  const { features, counts, slots } = counted;
  const mask = features.length - 1;
  let slot = (feature >>> 1) & mask;
  while (counts[slot] !== 0 && features[slot] !== feature) slot = (slot + 1) & mask;
  if (counts[slot] === 0) {
    features[slot] = feature;
    slots[counted.size++] = slot;
  }
  counts[slot] = (counts[slot] ?? 0) + 1;
  if (counted.size === slots.length) grow();
}

function grow(): void {
  const { features, counts, slots, size } = counted;
  const length = 2 * features.length;
  counted.features = new Int32Array(length);
  counted.counts = new Int32Array(length);
  counted.slots = new Int32Array(length / 2);
  for (let place = 0; place < size; place++) {
    const before = slots[place] ?? 0;
    const feature = features[before] ?? 0;
    let slot = (feature >>> 1) & (length - 1);
    while (counted.counts[slot] !== 0) slot = (slot + 1) & (length - 1);
    counted.features[slot] = feature;
    counted.counts[slot] = counts[before] ?? 0;
    counted.slots[place] = slot;
  }
}

/** Counts the features of a text into `counted`; the lowest bit of a feature marks whole words. */
function countFeatures(text: string): void {
  for (let place = 0; place < counted.size; place++) counted.counts[counted.slots[place] ?? 0] = 0;
  counted.size = 0;
  const mayLackSpaces = withoutSpaces.test(text);
  for (const { 0: run, index } of text.matchAll(word)) {
    if (mayLackSpaces && withoutSpaces.test(run)) {
      const points = [...run];
      for (let at = 0; at < points.length; at++) {
        count(hash(points[at] ?? '', 0, 2) & ~1);
        if (at + 1 < points.length) count(hash(`${points[at]}${points[at + 1]}`, 0, 4) | 1);
      }
      continue;
    }
    countWord(text, index, index + run.length);
  }
}

/** A word and the trigrams of its characters between `<` and `>`. */
function countWord(text: string, from: number, to: number): void {
  count(hash(text, from, to) | 1);
  let [before, middle] = [0x3c, text.charCodeAt(from)];
  for (let at = from + 1; at <= to; at++) {
    const after = at === to ? 0x3e : text.charCodeAt(at);
    let value = Math.imul(0x811c9dc5 ^ before, 0x01000193);
    value = Math.imul(value ^ middle, 0x01000193);
    count(finalized(Math.imul(value ^ after, 0x01000193)) & ~1);
    before = middle;
    middle = after;
  }
}

/** FNV-1a over UTF-16 units, finalized like murmur3. */
function hash(text: string, from: number, to: number): number {
  let value = 0x811c9dc5;
  const end = Math.min(to, text.length);
  for (let at = from; at < end; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return finalized(value);
}

function finalized(value: number): number {
  const mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const more = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return more ^ (more >>> 16);
}
