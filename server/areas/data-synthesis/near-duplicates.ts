import { signatureOf, similarityOf, type TextSignature } from './checks.ts';

/** Texts to compare new ones with. */
export type NearDuplicates = {
  /**
   * Returns the similarity of the most similar text that shares a band; adds the text unless this is above the limit.
   */
  compare(text: string): number;
};

/** 12 bands of 5: a text with similarity 0.8 is found with probability 0.99, one with 0.9 almost always. */
const bands = 12;
const bandRows = 5;
/** Texts compared per band, so that a crowded band of dissimilar texts does not become ever slower. */
const comparedAtMost = 50;

/** MinHash with bands (Leskovec et al., Mining of Massive Datasets, chapter 3). */
export function createNearDuplicates(limit: number): NearDuplicates {
  const signatures: TextSignature[] = [];
  const buckets = Array.from({ length: bands }, () => new Map<number, number[]>());

  return {
    compare(text) {
      const signature = signatureOf(text);
      if (signature === undefined) return 0;
      const keys = keysOf(signature);
      const candidates = new Set(keys.flatMap((key, band) => buckets[band]?.get(key) ?? []));
      let most = 0;
      for (const candidate of candidates) {
        const other = signatures[candidate];
        if (other !== undefined) most = Math.max(most, similarityOf(signature, other));
      }
      if (most > limit) return most;
      const number = signatures.push(signature) - 1;
      for (const [band, key] of keys.entries()) {
        const members = buckets[band]?.get(key);
        if (members === undefined) buckets[band]?.set(key, [number]);
        else if (members.length < comparedAtMost) members.push(number);
      }
      return most;
    },
  };
}

function keysOf(signature: TextSignature): number[] {
  return Array.from({ length: bands }, (_, band) => {
    let key = 0x811c_9dc5;
    for (let row = 0; row < bandRows; row += 1)
      key = Math.imul(key ^ (signature[band * bandRows + row] ?? 0), 0x0100_0193);
    return key;
  });
}
