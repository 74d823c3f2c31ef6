import { characterTable, kinds, windowsOf } from './characters.ts';
import { mix } from './deduplicators/minhash-kernel.ts';

/** Weight of a token per position. */
const place = 0x0100_0193;
const basis = 0x811c_9dc5;

/**
 * Passes the 32-bit hash of every run of `size` words of a text to `take`, in order; a text with fewer words has one
 * run of all of them, a text without words none. Words are runs of letters and digits, case-insensitive; in scripts
 * without spaces each character is a word. Returns the number of words. Time is linear in the length of the text.
 */
export function hashShingles(text: string, size: number, take: (shingle: number) => void): number {
  const { kinds: kindOf, lower } = characterTable();
  const recent = new Uint32Array(size);
  let oldest = 1;
  for (let count = 0; count < size; count += 1) oldest = Math.imul(oldest, place);
  let words = 0;
  let rolling = 0;
  const end = (word: number): void => {
    const token = mix(word);
    const slot = words % size;
    rolling = (Math.imul(rolling, place) + token - Math.imul(recent[slot] ?? 0, oldest)) | 0;
    recent[slot] = token;
    words += 1;
    if (words >= size) take(mix(rolling));
  };
  let word = basis;
  let inWord = false;
  for (const units of windowsOf(text)) {
    for (let at = 0; at < units.length; at += 1) {
      const unit = units[at] ?? 0;
      const kind = kindOf[unit];
      // Surrogates count as letters, so that rare ideographs and emoji make a difference.
      if (kind === kinds.word || kind === kinds.half) {
        word = Math.imul(word ^ (lower[unit] ?? 0), place);
        inWord = true;
        continue;
      }
      if (inWord) {
        end(word);
        word = basis;
        inWord = false;
      }
      if (kind === kinds.single) end(Math.imul(basis ^ unit, place));
    }
  }
  if (inWord) end(word);
  if (words > 0 && words < size) take(mix(rolling));
  return words;
}

/** A 32-bit hash of all characters of a text except white space, case-insensitive; 0 if there are none. */
export function hashCharacters(text: string): number {
  const { kinds: kindOf, lower } = characterTable();
  let hash = basis;
  let isEmpty = true;
  for (const units of windowsOf(text)) {
    for (let at = 0; at < units.length; at += 1) {
      const unit = units[at] ?? 0;
      if (kindOf[unit] === kinds.space) continue;
      hash = Math.imul(hash ^ (lower[unit] ?? 0), place);
      isEmpty = false;
    }
  }
  return isEmpty ? 0 : mix(hash);
}
