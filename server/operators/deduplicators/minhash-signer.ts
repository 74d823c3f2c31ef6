import { hashCharacters, hashShingles } from '../shingles.ts';
import { createMinhashKernel, mix } from './minhash-kernel.ts';

/** Target share of pairs exactly at the threshold that are compared. */
const wantedRecall = 0.98;

/** Number of keys (bands), and of signature values (rows) per key. */
export type Banding = { readonly bands: number; readonly rows: number };

/** Records a text's MinHash signature and its keys. */
export type MinhashSigner = {
  /** Number of keys: texts that agree in one of them are compared. */
  readonly keys: number;
  readonly words: number;
  readonly banding: Banding;
  sign(text: string, keys: Uint32Array, words: Uint32Array): void;
};

export function createMinhashSigner({
  threshold,
  ngram,
  permutations,
  bands: wantedBands = 0,
}: {
  threshold: number;
  ngram: number;
  permutations: number;
  /** 0: chosen by the threshold. */
  bands?: number;
}): MinhashSigner {
  const banding =
    wantedBands === 0
      ? bandsFor(threshold, permutations)
      : { bands: wantedBands, rows: Math.floor(permutations / wantedBands) };
  const { bands, rows } = banding;
  const kernel = createMinhashKernel(permutations);
  const { shingles } = kernel;
  return {
    keys: bands,
    words: permutations,
    banding,
    sign(text, keys, words) {
      kernel.start();
      let waiting = 0;
      const count = hashShingles(text, ngram, (shingle) => {
        shingles[waiting] = shingle;
        waiting += 1;
        if (waiting < shingles.length) return;
        kernel.take(waiting);
        waiting = 0;
      });
      // Too short for a shingle: hashes all characters, as words alone would equate `C++` and `C#` and ignore texts
      // without words.
      if (count < ngram) {
        shingles[0] = hashCharacters(text);
        waiting = shingles[0] === 0 ? 0 : 1;
      }
      kernel.take(waiting);
      words.set(kernel.minima);
      for (let band = 0; band < bands; band += 1) keys[band] = hashBand(words, band * rows, rows);
    },
  };
}

/**
 * The number of bands and of values per band. Longer bands give fewer candidates: chooses the longest that still reach
 * the target share at the threshold, with no more bands than needed.
 */
export function bandsFor(threshold: number, permutations: number): Banding {
  for (let rows = Math.min(permutations, 32); rows > 1; rows -= 1) {
    const agreeing = threshold ** rows;
    const bands = agreeing === 1 ? 1 : Math.ceil(Math.log(1 - wantedRecall) / Math.log1p(-agreeing));
    if (bands * rows <= permutations) return { bands, rows };
  }
  return { bands: permutations, rows: 1 };
}

/**
 * The probability that two samples of a similarity s agree in a whole band, and so are compared: 1 - (1 - sʳ)ᵇ (Leskovec,
 * Rajaraman, Ullman, "Mining of Massive Datasets", 3.4.2). An S-curve, steepest at about (1/b)^(1/r).
 */
export function probabilityOfComparison(similarity: number, { bands, rows }: Banding): number {
  return 1 - (1 - similarity ** rows) ** bands;
}

function hashBand(words: Uint32Array, start: number, rows: number): number {
  let hash = 0;
  for (let at = start; at < start + rows; at += 1) hash = mix(hash ^ (words[at] ?? 0)) + 0x9e37_79b9;
  return hash >>> 0;
}

/** Estimates the Jaccard similarity: the share of permutations in which both samples have the same minimum. */
export function shareOfEqual(one: Uint32Array, other: Uint32Array): number {
  let equal = 0;
  for (let at = 0; at < one.length; at += 1) if (one[at] === other[at]) equal += 1;
  return equal / one.length;
}
