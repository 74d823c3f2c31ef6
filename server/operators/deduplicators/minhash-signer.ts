import { hashCharacters, hashShingles } from '../shingles.ts';
import { createMinhashKernel, mix } from './minhash-kernel.ts';

/** Share of the pairs exactly at the threshold that should be compared. */
const wantedRecall = 0.98;

/** So many keys, each of so many values of the signature. */
export type Banding = { readonly bands: number; readonly rows: number };

/** Records what tells of a text which others are near-duplicates of it. */
export type MinhashSigner = {
  /** Texts that agree in one of so many keys are compared. */
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
  /** 0: as many as the threshold takes. */
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
      // Words alone would make `C++` of `C#`, and nothing of a text without any.
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
 * The number of bands and of values per band. Long bands give few candidates: chooses the longest that still find the
 * wanted share at the threshold, and no more bands than needed for it.
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
