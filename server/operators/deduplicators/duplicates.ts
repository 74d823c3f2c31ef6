import type { Reason } from '../../kernel/reason.ts';
import { runSentences } from '../../kernel/sentences/index.ts';
import type { DuplicateSearch, SetDrop, Signatures, WholeSet } from '../whole-set.ts';

/**
 * Maximum number of samples remembered per value of a key: the first ones in the input with different words. Otherwise
 * a text that all samples share would require comparing all pairs.
 */
export const maxGroup = 200;

/** Declares that samples similar to an earlier one are dropped; the engine may search in partitions. */
export function duplicatesBy(
  search: DuplicateSearch,
): Pick<WholeSet, 'keys' | 'words' | 'reduce'> & { readonly duplicates: DuplicateSearch } {
  return {
    keys: search.keys,
    words: search.words,
    duplicates: search,
    reduce(signatures, drop, note) {
      reduceDuplicates(signatures, search, drop, note);
    },
  };
}

/**
 * Visits the samples in order and drops each that is similar to an earlier kept one; reports the most similar one, the
 * first among equals. References come first and are never dropped. Needs 4 bytes per sample and key, and another 20
 * bytes per sample while a key is processed.
 */
export function reduceDuplicates(
  signatures: Signatures,
  search: DuplicateSearch,
  drop: (dropped: SetDrop) => void,
  note: (message: Reason, level?: 'INFO') => void,
): void {
  if (search.about !== undefined) note(search.about, 'INFO');
  const { count, references } = signatures;
  const grouping = { groups: 0 };
  const groupsOf = Array.from({ length: search.keys }, (_, key) => groupByValue(signatures.column(key), grouping));
  const sizes = sizesOf(groupsOf, grouping.groups);
  const lists = createGroupLists(grouping.groups);
  const looked = new Uint32Array(count);
  const isDropped = new Uint8Array(count);
  /** Word hashes of the samples remembered in groups that may be full. */
  const hashes = new Map<number, number>();
  const same = new Set<number>();
  const own = new Uint32Array(search.words);
  const other = new Uint32Array(search.words);

  for (let index = 0; index < count; index += 1) {
    // Most samples share no group with others.
    if (isUnique(groupsOf, index)) continue;
    let isRead = false;
    const readOwn = (): void => {
      if (!isRead) signatures.read(index, own);
      isRead = true;
    };
    let hash: number | undefined;
    if (groupsOf.some((groups) => (sizes[groups[index] ?? 0] ?? 0) > maxGroup)) {
      readOwn();
      hash = hashWords(own);
    }
    let best = -1;
    let bestScore = 0;
    same.clear();
    for (const groups of groupsOf) {
      const group = groups[index] ?? 0;
      if (group === 0) continue;
      for (let at = lists.first(group); at !== 0; at = lists.next(at)) {
        const candidate = lists.sample(at);
        // Shares several groups with the same sample: compare only once.
        if (looked[candidate] === index + 1) continue;
        const mayBeSame = hash !== undefined && hashes.get(candidate) === hash;
        const isCompared = index >= references && isDropped[candidate] === 0;
        if (!mayBeSame && !isCompared) continue;
        looked[candidate] = index + 1;
        readOwn();
        signatures.read(candidate, other);
        if (mayBeSame && areEqual(own, other)) same.add(candidate);
        if (!isCompared) continue;
        const score = search.similarity(own, other);
        if (score < search.threshold) continue;
        if (score > bestScore || (score === bestScore && candidate < best)) {
          best = candidate;
          bestScore = score;
        }
      }
    }
    if (best !== -1) {
      isDropped[index] = 1;
      const score = bestScore;
      drop({ index, of: best, score, reason: (sample) => search.reason(score, sample) });
    }
    for (const groups of groupsOf) {
      const group = groups[index] ?? 0;
      if (group === 0) continue;
      // In groups below the limit, dropped samples need not be remembered.
      const isLarge = (sizes[group] ?? 0) > maxGroup;
      if (isLarge ? holdsAny(lists, group, same) : best !== -1) continue;
      if (lists.add(group, index) && isLarge) hashes.set(index, hash ?? 0);
    }
  }
  if (lists.crowded > 0) {
    note(runSentences.DUPLICATES_CROWDED.reason({ times: lists.crowded, limit: maxGroup }));
  }
}

function sizesOf(groupsOf: readonly Uint32Array[], groups: number): Uint32Array {
  const sizes = new Uint32Array(groups + 1);
  for (const ofKey of groupsOf) for (const group of ofKey) sizes[group] = (sizes[group] ?? 0) + 1;
  sizes[0] = 0;
  return sizes;
}

function holdsAny(lists: ReturnType<typeof createGroupLists>, group: number, samples: ReadonlySet<number>): boolean {
  if (samples.size === 0) return false;
  for (let at = lists.first(group); at !== 0; at = lists.next(at)) if (samples.has(lists.sample(at))) return true;
  return false;
}

function hashWords(words: Uint32Array): number {
  let hash = 0;
  for (const word of words) hash = Math.imul(hash ^ word, 0x9e37_79b1) ^ (hash >>> 15);
  return hash;
}

/** Whether two samples have the same signature. */
export function areEqual(one: Uint32Array, other: Uint32Array): boolean {
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

function isUnique(groupsOf: readonly Uint32Array[], index: number): boolean {
  for (const groups of groupsOf) if (groups[index] !== 0) return false;
  return true;
}

/** Numbers the values that occur in more than one sample; returns a group per sample, 0 for a unique value. */
export function groupByValue(values: Uint32Array, grouping: { groups: number }): Uint32Array {
  const groups = new Uint32Array(values.length);
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(2, values.length * 2)));
  const mask = capacity - 1;
  // Open addressing: stores sample + 1 in the next free slot for its value.
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
    /** Returns whether there was room. */
    add(group: number, sample: number): boolean {
      const size = sizes[group] ?? 0;
      if (size === maxGroup) {
        crowded += 1;
        return false;
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
      return true;
    },
  };
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
