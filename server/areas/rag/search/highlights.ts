import { foldWord, partsOf, cutWords } from '../../../storage/vectors/index.ts';

/** Words never reach over these. */
const between = /[^ \t\r\n\f\v\u3000]+/g;
const ascii = /^[!-~]+$/;
/** One word of ASCII with nothing but marks around it. */
const plain = /^[!-/:-@[-^`{-~]*([0-9A-Za-z]+)[!-/:-@[-^`{-~]*$/;

export type Highlight = { start: number; end: number };

/** Finds where words of a query stand in texts, in code points; cut and compared as the word index finds them. */
export function createHighlighter(query: string): (text: string) => Highlight[] {
  const words = new Set(cutWords(query).flatMap(({ word }) => [word, ...partsOf(word).map(({ part }) => part)]));
  return (text) => (words.size === 0 ? [] : highlight(text, words));
}

function highlight(text: string, wanted: ReadonlySet<string>): Highlight[] {
  const highlights: Highlight[] = [];
  let [unit, point] = [0, 0];
  const pointAt = (to: number): number => {
    for (; unit < to; unit++) if ((text.charCodeAt(unit) & 0xfc00) !== 0xdc00) point += 1;
    return point;
  };
  const mark = (start: number, end: number): void => void highlights.push({ start: pointAt(start), end: pointAt(end) });
  // Cutting into words is slow, so only parts are cut that are no plain word and may have one of the query.
  for (const { 0: piece, index } of text.matchAll(between)) {
    const [, word] = plain.exec(piece) ?? [];
    if (word !== undefined) {
      if (!wanted.has(word.toLowerCase())) continue;
      const start = index + piece.indexOf(word);
      mark(start, start + word.length);
      continue;
    }
    if (!mayHave(piece, wanted)) continue;
    for (const { word: one, start, end } of cutWords(piece)) {
      if (wanted.has(one)) {
        mark(index + start, index + end);
        continue;
      }
      // The parts of the word as it is written: folding may change its length.
      for (const { part, start: at } of partsOf(piece.slice(start, end)))
        if (wanted.has(foldWord(part))) mark(index + start + at, index + start + at + part.length);
    }
  }
  return highlights;
}

/** Whether cutting a piece may give one of the words. */
function mayHave(piece: string, wanted: ReadonlySet<string>): boolean {
  const folded = foldWord(piece);
  // Letters that fold into several may hide where a word ends.
  const isPlain = ascii.test(piece);
  for (const word of wanted) {
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + 1))
      if (!isPlain || !(isInWord(folded.charCodeAt(at - 1)) || isInWord(folded.charCodeAt(at + word.length))))
        return true;
  }
  return false;
}

/** Whether a code is one of a-z, 0-9 and _: no word ends between two of these. */
function isInWord(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}
