import type { FindOptions, FoundChunk, IndexedChunk } from './vector-store.ts';
import { cutWords } from './words.ts';

/**
 * The words of the chunks that were written since the last compaction. LanceDB (0.31) weighs the words of rows outside its
 * index by the counts of the index alone: a word that most new rows have gets no positive weight, and is not found.
 */
export type RecentWords = {
  /** Takes chunks that were written, with their words in the indexed form. */
  add(chunks: readonly IndexedChunk[]): void;
  remove(units: readonly number[]): void;
  /**
   * Call before a compaction; the function returned forgets what it has indexed, unless more rows are not indexed than were
   * added since.
   */
  begin(): (unindexedRows: number) => void;
  /** The chunks with words of a query in its searched form, best first. `rows`: the number of chunks in the index. */
  find(query: string, options: FindOptions, rows: number): FoundChunk[];
  /** Bytes of the words, roughly. */
  readonly bytes: number;
};

/** `length`: number of words, roughly. */
type Recent = { unit: number; ordinal: number; words: string; length: number };

const k1 = 1.2;
const b = 0.75;
const letters = /[\p{L}\p{M}\p{N}_]/u;
/** Scripts without spaces: their words end anywhere. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export function createRecentWords(): RecentWords {
  let recent: Recent[] = [];
  let bytes = 0;

  function keep(test: (one: Recent, at: number) => boolean): void {
    recent = recent.filter(test);
    bytes = recent.reduce((sum, { words }) => sum + 2 * words.length, 0);
  }

  return {
    add(chunks) {
      for (const { unit, ordinal, words } of chunks) {
        recent.push({ unit, ordinal, words: words.toLowerCase(), length: words.split(' ').length });
        bytes += 2 * words.length;
      }
    },
    remove(units) {
      if (recent.length === 0) return;
      const gone = new Set(units);
      keep(({ unit }) => !gone.has(unit));
    },
    begin() {
      const before = new Set(recent);
      return (unindexedRows) => {
        const later = recent.filter((one) => !before.has(one));
        if (unindexedRows <= later.length) keep((one) => !before.has(one));
      };
    },
    find(query, { limit, units }, rows) {
      if (recent.length === 0) return [];
      const wanted = units === undefined ? undefined : new Set(units);
      const among = wanted === undefined ? recent : recent.filter(({ unit }) => wanted.has(unit));
      const length = recent.reduce((sum, one) => sum + one.length, 0) / recent.length;
      const scores = new Map<Recent, number>();
      for (const word of new Set(cutWords(query).map((one) => one.word))) {
        const counts = among
          .map((one) => ({ one, count: countWord(one.words, word) }))
          .filter(({ count }) => count > 0);
        // As if the word were as frequent among the chunks of the index.
        const having = (counts.length * Math.max(rows, recent.length)) / recent.length;
        const weight = Math.log(1 + (Math.max(rows, recent.length) - having + 0.5) / (having + 0.5));
        for (const { one, count } of counts) {
          const saturation = (count * (k1 + 1)) / (count + k1 * (1 - b + (b * one.length) / length));
          scores.set(one, (scores.get(one) ?? 0) + weight * saturation);
        }
      }
      return [...scores]
        .map(([{ unit, ordinal }, score]) => ({ unit, ordinal, score }))
        .sort((one, other) => other.score - one.score || one.unit - other.unit || one.ordinal - other.ordinal)
        .slice(0, limit);
    },
    get bytes() {
      return bytes;
    },
  };
}

/** How often a word occurs in a text, as a whole word. */
function countWord(text: string, word: string): number {
  const isUnspaced = unspaced.test(word);
  let count = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    const end = at + word.length;
    if (isUnspaced || !(isJoined(text, at - 1, at - 2, at) || isJoined(text, end, end + 1, end - 1))) count += 1;
  }
  return count;
}

/** Whether a character belongs to the same word: a letter, or a mark between letters or digits, as in `e.g` and 3.14. */
function isJoined(text: string, at: number, beyond: number, within: number): boolean {
  const character = text.charAt(at);
  if (letters.test(character)) return true;
  const [one, other] = [text.charAt(beyond), text.charAt(within)];
  if (character === '.' || character === "'")
    return (letter.test(one) && letter.test(other)) || (digit.test(one) && digit.test(other));
  return (character === ',' || character === ';') && digit.test(one) && digit.test(other);
}

const letter = /\p{L}/u;
const digit = /\p{Nd}/u;
