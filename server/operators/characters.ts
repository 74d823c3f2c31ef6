/** The class of a UTF-16 unit for word splitting; `half` is a surrogate, whose code point decides. */
export const kinds = { other: 0, word: 1, single: 2, space: 3, half: 4 } as const;

const units = 65_536;
const wordCharacter = /^[\p{L}\p{N}\p{M}]$/u;
// Scripts that are written without spaces: each character counts as a word.
const singleCharacter =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const space = /^\s$/;

/** By UTF-16 unit: its kind, and its lower case if that is one unit. */
export type CharacterTable = { kinds: Uint8Array; lower: Uint16Array };

let table: CharacterTable | undefined;

/** Built once, on first use: a lookup is many times as fast as a regular expression. */
export function characterTable(): CharacterTable {
  if (table !== undefined) return table;
  const made: CharacterTable = { kinds: new Uint8Array(units), lower: new Uint16Array(units) };
  for (let unit = 0; unit < units; unit += 1) {
    const character = String.fromCharCode(unit);
    const lower = character.toLowerCase();
    made.lower[unit] = lower.length === 1 ? lower.charCodeAt(0) : unit;
    made.kinds[unit] = kindOf(unit, character);
  }
  table = made;
  return made;
}

function kindOf(unit: number, character: string): number {
  if (unit >= 0xd800 && unit < 0xe000) return kinds.half;
  if (singleCharacter.test(character)) return kinds.single;
  if (wordCharacter.test(character)) return kinds.word;
  return space.test(character) ? kinds.space : kinds.other;
}

const windowUnits = 1 << 15;
const window = new Uint16Array(windowUnits);
const windowBytes = Buffer.from(window.buffer);

/**
 * The UTF-16 units of a text, a few thousand at a time; all windows share the same memory. A text built by earlier
 * steps is a rope or a slice, in which `charCodeAt` resolves each unit anew: 4 to 14 ns instead of 1.
 */
export function* windowsOf(text: string): Generator<Uint16Array> {
  for (let from = 0; from < text.length; from += windowUnits) {
    const isWhole = text.length <= windowUnits;
    const written = windowBytes.write(isWhole ? text : text.slice(from, from + windowUnits), 'utf16le');
    yield window.subarray(0, written >> 1);
  }
}

/** Whether a code point of two units is a letter, digit or mark. */
export function isWordCodePoint(codePoint: number): boolean {
  // Most are supplementary ideographs, which need no regular expression.
  return (codePoint >= 0x2_0000 && codePoint < 0x4_0000) || wordCharacter.test(String.fromCodePoint(codePoint));
}
