import { runSentences } from '../../kernel/sentences.ts';
import type { SetDrop, Signatures } from '../operator.ts';

export type DuplicateSearch = {
  /** Number of keys; samples that agree in one of them are compared. */
  keys: number;
  words: number;
  /** Similarity of two samples' words, 0 to 1. */
  similarity: (one: Uint32Array, other: Uint32Array) => number;
  /** From this similarity on, one of the two is dropped. */
  threshold: number;
  /** The reason of a drop, with `{sample}` for the sample that is kept. */
  reason: (similarity: number) => string;
};

/**
 * Maximum number of kept samples remembered per value of a key; a text that all samples share would require comparing
 * all pairs.
 */
export const maxGroup = 200;

/**
 * Goes through the samples in order and drops each that is similar to an earlier kept one; names the most similar one,
 * among equals the first. References come first and all stay; of those whose words are all the same, one is remembered. Needs 4 bytes per sample and key, and another 20 bytes per sample while a key is processed.
 */
export function reduceDuplicates(
  signatures: Signatures,
  search: DuplicateSearch,
  drop: (dropped: SetDrop) => void,
  note: (message: string) => void,
): void {
  const { count, references } = signatures;
  const grouping = { groups: 0 };
  const groupsOf = Array.from({ length: search.keys }, (_, key) => groupByValue(signatures.column(key), grouping));
  const kept = createGroupLists(grouping.groups);
  const looked = new Uint32Array(count);
  const own = new Uint32Array(search.words);
  const other = new Uint32Array(search.words);

  for (let index = 0; index < count; index += 1) {
    // Most samples share nothing with others.
    if (isUnique(groupsOf, index)) continue;
    let isRead = false;
    let best = -1;
    let bestScore = 0;
    for (const groups of groupsOf) {
      const group = groups[index] ?? 0;
      if (group === 0) continue;
      for (let at = kept.first(group); at !== 0; at = kept.next(at)) {
        const candidate = kept.sample(at);
        // Shares several groups with the same sample: compare only once.
        if (looked[candidate] === index + 1) continue;
        looked[candidate] = index + 1;
        if (!isRead) signatures.read(index, own);
        isRead = true;
        signatures.read(candidate, other);
        const score = search.similarity(own, other);
        if (score < search.threshold) continue;
        if (score > bestScore || (score === bestScore && candidate < best)) {
          best = candidate;
          bestScore = score;
        }
      }
    }
    if (index < references) {
      // Whatever is similar to the one is equally similar to the other.
      if (bestScore === 1) continue;
    } else if (best !== -1) {
      drop({ index, of: best, score: bestScore, reason: search.reason(bestScore) });
      continue;
    }
    for (const groups of groupsOf) {
      const group = groups[index] ?? 0;
      if (group !== 0) kept.add(group, index);
    }
  }
  if (kept.crowded > 0) {
    note(runSentences.DUPLICATES_CROWDED({ times: kept.crowded, limit: maxGroup }));
  }
}

function isUnique(groupsOf: readonly Uint32Array[], index: number): boolean {
  for (const groups of groupsOf) if (groups[index] !== 0) return false;
  return true;
}

/** Numbers the values that occur in more than one sample: returns a number per sample, 0 for a unique value. */
export function groupByValue(values: Uint32Array, grouping: { groups: number }): Uint32Array {
  const groups = new Uint32Array(values.length);
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(2, values.length * 2)));
  const mask = capacity - 1;
  // Open addressing: sample + 1 by value, in the next free slot.
  const table = new Uint32Array(capacity);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    let at = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) & mask;
    let found = table[at] ?? 0;
    while (found !== 0 && values[found - 1] !== value) {
      at = (at + 1) & mask;
      found = table[at] ?? 0;
    }
    if (found === 0) {
      table[at] = index + 1;
      continue;
    }
    if (groups[found - 1] === 0) groups[found - 1] = grouping.groups += 1;
    groups[index] = groups[found - 1] ?? 0;
  }
  return groups;
}

/** The kept samples by group, as linked lists in flat arrays. */
export function createGroupLists(groups: number) {
  const heads = new Uint32Array(groups + 1);
  const sizes = new Uint8Array(groups + 1);
  let samples = new Uint32Array(1024);
  let nexts = new Uint32Array(1024);
  let length = 1;
  let crowded = 0;
  return {
    get crowded() {
      return crowded;
    },
    first: (group: number): number => heads[group] ?? 0,
    next: (at: number): number => nexts[at] ?? 0,
    sample: (at: number): number => samples[at] ?? 0,
    add(group: number, sample: number): void {
      const size = sizes[group] ?? 0;
      if (size === maxGroup) {
        crowded += 1;
        return;
      }
      if (length === samples.length) {
        samples = doubled(samples);
        nexts = doubled(nexts);
      }
      samples[length] = sample;
      nexts[length] = heads[group] ?? 0;
      heads[group] = length;
      sizes[group] = size + 1;
      length += 1;
    },
  };
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
