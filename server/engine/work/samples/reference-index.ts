import type { ReferenceIndex } from '../../../operators/index.ts';
import { runSentences } from '../../../kernel/sentences/index.ts';
import { SetupError } from '../../orders/setup-error.ts';
import { noNumber, openShardKeys } from './reference-keys.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import type { IndexedShard } from '../../orders/reference-jobs.ts';

/** Maximum number of distinct keys in an index: about 340 MiB, shared by all threads. */
export const maxKeys = 20_000_000;

type FilePath = { dataset: string; path: string };

/** Slots per key: at this load factor a miss costs 2 probes. */
const slotsPerKey = 1.5;
const slotWords = 3;

/**
 * Builds the index of a step. If several samples have a key, the first one is stored. Throws SetupError if there are
 * too many keys.
 */
export function buildIndex(
  shards: readonly IndexedShard[],
  options: { keyLimit: number; beat: () => void },
): SharedIndex {
  const opened = shards.map(({ read }) => openShardKeys(read));
  const samples = opened.reduce((sum, shard) => sum + shard.samples, 0);
  const keys = opened.reduce((sum, shard) => sum + shard.keys, 0);
  const places = new SharedArrayBuffer(samples * slotWords * 4);
  const paths: FilePath[] = [];
  const placeWords = new Uint32Array(places);
  const capacity = Math.ceil(Math.min(keys, options.keyLimit) * slotsPerKey) + 1;
  const slots = new SharedArrayBuffer(capacity * slotWords * 4);
  const words = new Uint32Array(slots);
  let first = 0;
  let held = 0;
  for (const [number, shard] of opened.entries()) {
    const { dataset = '', firstRow = 0, firstLine = null } = shards[number] ?? {};
    const given = shard.places();
    for (let sample = 0; sample < shard.samples; sample += 1) {
      const row = given[shard.samples + sample] ?? noNumber;
      const line = given[2 * shard.samples + sample] ?? noNumber;
      const at = (first + sample) * slotWords;
      placeWords[at] = paths.length + (given[sample] ?? 0);
      placeWords[at + 1] = row === noNumber ? noNumber : row + firstRow;
      placeWords[at + 2] = line === noNumber || firstLine === null ? noNumber : line + firstLine;
    }
    for (const path of shard.paths()) paths.push({ dataset, path });
    shard.each((lows, highs, of) => {
      for (let at = 0; at < lows.length; at += 1) {
        const [low = 0, high = 0] = [lows[at], highs[at]];
        const slot = slotOf(words, capacity, low, high);
        if (words[slot + 2] !== 0) continue;
        held += 1;
        if (held > options.keyLimit)
          throw new SetupError(runSentences.REFERENCES_TOO_LARGE.reason({ limit: options.keyLimit }));
        words[slot] = low;
        words[slot + 1] = high;
        words[slot + 2] = first + (of[at] ?? 0) + 1;
      }
      options.beat();
    });
    first += shard.samples;
  }
  return { slots, places, paths: shared(Buffer.from(JSON.stringify(paths))) };
}

function shared(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

/** Opens an index for lookups. */
export function openIndex({ slots, places, paths: pathBytes }: SharedIndex): ReferenceIndex {
  let paths: FilePath[] | undefined;
  const words = new Uint32Array(slots);
  const placeWords = new Uint32Array(places);
  const capacity = words.length / slotWords;
  const numberAt = (at: number): number | null => {
    const found = placeWords[at] ?? noNumber;
    return found === noNumber ? null : found + 1;
  };
  return {
    find: (low, high) => (words[slotOf(words, capacity, low, high) + 2] ?? 0) - 1,
    placeOf(sample) {
      const at = sample * slotWords;
      paths ??= JSON.parse(Buffer.from(new Uint8Array(pathBytes)).toString('utf8')) as FilePath[];
      const { dataset = '', path = '' } = paths[placeWords[at] ?? 0] ?? {};
      return { dataset, path, row: numberAt(at + 1), line: numberAt(at + 2) };
    },
  };
}

/** The slot that holds the key, or the free one where it belongs. */
function slotOf(words: Uint32Array, capacity: number, low: number, high: number): number {
  const [lowWord, highWord] = [low >>> 0, high >>> 0];
  let slot = Math.floor((highWord / 2 ** 32) * capacity);
  for (;;) {
    const at = slot * slotWords;
    if (words[at + 2] === 0 || (words[at] === lowWord && words[at + 1] === highWord)) return at;
    slot = slot + 1 === capacity ? 0 : slot + 1;
  }
}
