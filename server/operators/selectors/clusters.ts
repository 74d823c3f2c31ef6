import { createGroupLists, groupByValue } from '../deduplicators/duplicates.ts';
import type { Signatures } from '../whole-set.ts';

/** Disjoint sets of samples that are joined directly or indirectly. */
export type Clusters = {
  /** The first sample of a sample's cluster. */
  firstOf(index: number): number;
  join(one: number, other: number): void;
};

export function createClusters(count: number): Clusters {
  const parents = Uint32Array.from({ length: count }, (_, index) => index);
  function firstOf(index: number): number {
    let at = index;
    while (parents[at] !== at) {
      // Path halving, which shortens later searches.
      const above = parents[parents[at] ?? 0] ?? 0;
      parents[at] = above;
      at = above;
    }
    return at;
  }
  return {
    firstOf,
    join(one, other) {
      const [a, b] = [firstOf(one), firstOf(other)];
      parents[Math.max(a, b)] = Math.min(a, b);
    },
  };
}

/**
 * Joins samples that agree in one of the first `keys` keys and whose words are similar. Returns how often a sample was
 * not remembered for comparison, because its group was full.
 */
export function joinSimilar(
  clusters: Clusters,
  signatures: Signatures,
  {
    keys,
    words,
    similarity,
    threshold,
  }: {
    keys: number;
    words: number;
    similarity: (one: Uint32Array, other: Uint32Array) => number;
    threshold: number;
  },
): number {
  const own = new Uint32Array(words);
  const other = new Uint32Array(words);
  /** Samples equal to an earlier one, which represents them. */
  const twins = new Uint8Array(signatures.count);
  let crowded = 0;
  for (let key = 0; key < keys; key += 1) {
    const grouping = { groups: 0 };
    const groups = groupByValue(signatures.column(key), grouping);
    const lists = createGroupLists(grouping.groups);
    for (let index = 0; index < signatures.count; index += 1) {
      const group = groups[index] ?? 0;
      if (group === 0 || twins[index] === 1) continue;
      let isRead = false;
      for (let at = lists.first(group); at !== 0; at = lists.next(at)) {
        const candidate = lists.sample(at);
        if (clusters.firstOf(candidate) === clusters.firstOf(index)) continue;
        if (!isRead) signatures.read(index, own);
        isRead = true;
        signatures.read(candidate, other);
        const score = similarity(own, other);
        if (score < threshold) continue;
        clusters.join(candidate, index);
        if (score === 1) twins[index] = 1;
      }
      if (twins[index] === 0) lists.add(group, index);
    }
    crowded += lists.crowded;
  }
  return crowded;
}

/** Joins samples with the same 64-bit value, given as two keys; both are 0 for samples without a value. */
export function joinEqual(clusters: Clusters, high: Uint32Array, low: Uint32Array): void {
  const grouping = { groups: 0 };
  const groups = groupByValue(high, grouping);
  const lists = createGroupLists(grouping.groups);
  for (const [index, group] of groups.entries()) {
    if (group === 0 || (high[index] === 0 && low[index] === 0)) continue;
    let isKnown = false;
    for (let at = lists.first(group); at !== 0 && !isKnown; at = lists.next(at)) {
      isKnown = low[lists.sample(at)] === low[index];
      if (isKnown) clusters.join(lists.sample(at), index);
    }
    if (!isKnown) lists.add(group, index);
  }
}
