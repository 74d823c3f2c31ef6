import { foldWord, partsOf, cutWords } from '../../../storage/vectors/index.ts';

/** Words never reach over these. */
const between = /[^ \t\r\n\f\v\u3000]+/g;
/** One word of ASCII with nothing but marks around it. */
const plain = /^[!-/:-@[-^`{-~]*([0-9A-Za-z]+)[!-/:-@[-^`{-~]*$/;

/** Where words of the query stand in a text, in code points; cut and compared as the word index finds them. */
export function findHighlights(text: string, query: string): { start: number; end: number }[] {
  const wanted = new Set(cutWords(query).flatMap(({ word }) => [word, ...partsOf(word).map(({ part }) => part)]));
  if (wanted.size === 0) return [];
  const has = (folded: string): boolean => [...wanted].some((word) => folded.includes(word));
  const highlights: { start: number; end: number }[] = [];
  let [unit, point] = [0, 0];
  const pointAt = (to: number): number => {
    for (; unit < to; unit++) if ((text.charCodeAt(unit) & 0xfc00) !== 0xdc00) point += 1;
    return point;
  };
  const mark = (start: number, end: number): void => void highlights.push({ start: pointAt(start), end: pointAt(end) });
  // Cutting into words is slow, so only parts are cut that are no plain word and have something of the query.
  for (const { 0: piece, index } of text.matchAll(between)) {
    const [, word] = plain.exec(piece) ?? [];
    if (word !== undefined) {
      if (!wanted.has(word.toLowerCase())) continue;
      const start = index + piece.indexOf(word);
      mark(start, start + word.length);
      continue;
    }
    if (!has(foldWord(piece))) continue;
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
