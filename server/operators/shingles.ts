import { mix } from './minhash-kernel.ts';

const kinds = { other: 0, word: 1, single: 2 } as const;
const units = 65_536;

type CharacterTable = { kinds: Uint8Array; lower: Uint16Array };

let table: CharacterTable | undefined;

/** What each UTF-16 unit is to words, and its lower case. Made once, on first use. */
function characters(): CharacterTable {
  if (table !== undefined) return table;
  const made: CharacterTable = { kinds: new Uint8Array(units), lower: new Uint16Array(units) };
  // Scripts that are written without spaces: each character counts as a word.
  const single =
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
  const word = /^[\p{L}\p{N}\p{M}]$/u;
  for (let unit = 0; unit < units; unit += 1) {
    const character = String.fromCharCode(unit);
    const lower = character.toLowerCase();
    made.lower[unit] = lower.length === 1 ? lower.charCodeAt(0) : unit;
    // Halves of pairs are letters of a word, so that rare ideographs and emoji make a difference.
    const isSurrogate = unit >= 0xd800 && unit < 0xe000;
    if (single.test(character)) made.kinds[unit] = kinds.single;
    else if (isSurrogate || word.test(character)) made.kinds[unit] = kinds.word;
  }
  table = made;
  return made;
}

/** Weight of a token that is one place older. */
const place = 0x0100_0193;
const basis = 0x811c_9dc5;

/**
 * Hands out the 32-bit hash of every run of `size` words of a text, in the order of the text; a text with fewer words has one
 * run of all of them, one without words none. Words are runs of letters and digits, without regard to case; in scripts
 * without spaces each character is a word. Takes time in proportion to the text.
 */
export function hashShingles(text: string, size: number, take: (shingle: number) => void): void {
  const { kinds: kindOf, lower } = characters();
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
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const kind = kindOf[unit];
    if (kind === kinds.word) {
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
  if (inWord) end(word);
  if (words > 0 && words < size) take(mix(rolling));
}
