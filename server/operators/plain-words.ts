import { characterTable, kinds } from './characters.ts';
import { mix } from './deduplicators/minhash-kernel.ts';
import { unitsOf } from './text-units.ts';

/**
 * The words of a text, in order, ignoring punctuation and letter case: runs of letters and digits; in scripts without
 * spaces each character is a word.
 */
export type PlainWords = {
  readonly count: number;
  /** Where each word begins and ends, in UTF-16 units. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly hashes: Uint32Array;
};

const place = 0x0100_0193;
const otherPlace = 0x85eb_ca6b;
const basis = 0x811c_9dc5;

const firstCapacity = 4096;
const mostKept = 1 << 20;

/** Finds the words of a text in time linear in its length. */
export type PlainWordFinder = (text: string) => PlainWords;

export function createPlainWordFinder(): PlainWordFinder {
  let [starts, ends, hashes] = [new Uint32Array(0), new Uint32Array(0), new Uint32Array(0)];
  return (text) => {
    const { kinds: kindOf, lower } = characterTable();
    const units = unitsOf(text);
    let count = 0;
    const end = (from: number, to: number, word: number): void => {
      if (count === starts.length) [starts, ends, hashes] = [doubled(starts), doubled(ends), doubled(hashes)];
      starts[count] = from;
      ends[count] = to;
      hashes[count] = mix(word);
      count += 1;
    };
    let word = basis;
    let from = -1;
    for (let at = 0; at < units.length; at += 1) {
      const unit = units[at] ?? 0;
      const kind = kindOf[unit];
      // Surrogates count as letters, so that rare ideographs and emoji make a difference.
      if (kind === kinds.word || kind === kinds.half) {
        if (from === -1) from = at;
        word = Math.imul(word ^ (lower[unit] ?? 0), place);
        continue;
      }
      if (from !== -1) {
        end(from, at, word);
        word = basis;
        from = -1;
      }
      if (kind === kinds.single) end(at, at + 1, Math.imul(basis ^ unit, place));
    }
    if (from !== -1) end(from, units.length, word);
    const words = { count, starts: starts.slice(0, count), ends: ends.slice(0, count), hashes: hashes.slice(0, count) };
    // Frees the memory of a huge text.
    if (count > mostKept) [starts, ends, hashes] = [new Uint32Array(0), new Uint32Array(0), new Uint32Array(0)];
    return words;
  };
}

/** Passes the 64-bit key of every run of `size` words to `take`, with the index of its first word. */
export function eachWordRun(
  { count, hashes: words }: Pick<PlainWords, 'count' | 'hashes'>,
  size: number,
  take: (low: number, high: number, at: number) => void,
): void {
  let [oldest, otherOldest] = [1, 1];
  for (let power = 0; power < size; power += 1) {
    oldest = Math.imul(oldest, place);
    otherOldest = Math.imul(otherOldest, otherPlace);
  }
  let [rolling, other] = [0, 0];
  for (let at = 0; at < count; at += 1) {
    const word = words[at] ?? 0;
    const gone = at < size ? 0 : (words[at - size] ?? 0);
    rolling = (Math.imul(rolling, place) + word - Math.imul(gone, oldest)) | 0;
    other = (Math.imul(other, otherPlace) + word - Math.imul(gone, otherOldest)) | 0;
    if (at >= size - 1) take(mix(rolling), mix(other), at - size + 1);
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(firstCapacity, array.length * 2));
  larger.set(array);
  return larger;
}
