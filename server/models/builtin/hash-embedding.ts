export const hashDimensions = 512;

/** Length of the character n-grams within a word. */
const gramLength = 3;
const gramWeight = 0.5;

/**
 * Lexical embedding (feature hashing, Weinberger et al. 2009): words and character trigrams within them, or unigrams
 * and bigrams in scripts without spaces, each hashed to a dimension and a sign, weighted by 1 + ln(count); the vector
 * has length 1. Texts that share words are close to each other; it captures no meaning. A text without words is the
 * zero vector. `weightOf` weighs features further, such as the rare words of a query.
 */
export function hashEmbedding(text: string, weightOf: (feature: number) => number = () => 1): Float32Array {
  const counts = hashFeatures(text);
  const vector = new Float32Array(hashDimensions);
  let squares = 0;
  for (const [feature, count] of counts) {
    const weight = (1 + Math.log(count)) * (feature & 1 ? 1 : gramWeight) * weightOf(feature);
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

/** The features of a text with how often it has them. */
export function hashFeatures(text: string): Map<number, number> {
  return countFeatures(text.normalize('NFKC').toLowerCase());
}

/** Feature → count; the lowest bit of a feature says whether it is a whole word. */
function countFeatures(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  const add = (feature: number): void => void counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const mayLackSpaces = withoutSpaces.test(text);
  for (const [run] of text.matchAll(word)) {
    if (mayLackSpaces && withoutSpaces.test(run)) {
      const points = [...run];
      for (let at = 0; at < points.length; at++) {
        add(hash(points[at] ?? '', 0, 2) & ~1);
        if (at + 1 < points.length) add(hash(`${points[at]}${points[at + 1]}`, 0, 4) | 1);
      }
      continue;
    }
    add(hash(run, 0, run.length) | 1);
    const bounded = `<${run}>`;
    for (let at = 0; at + gramLength <= bounded.length; at++) add(hash(bounded, at, at + gramLength) & ~1);
  }
  return counts;
}

/** FNV-1a over UTF-16 units, finalized like murmur3. */
function hash(text: string, from: number, to: number): number {
  let value = 0x811c9dc5;
  const end = Math.min(to, text.length);
  for (let at = from; at < end; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
