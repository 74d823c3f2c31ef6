const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
/** Words never reach over these. */
const between = /[^ \t\r\n\f\v\u3000]+/g;
/** One word of ASCII with nothing but marks around it. */
const plain = /^[!-/:-@[-^`{-~]*([0-9A-Za-z]+)[!-/:-@[-^`{-~]*$/;

type Word = { word: string; start: number; end: number };

/** Where words of the query stand in a text, in code points; without case and accents, as the word index finds them. */
export function findHighlights(text: string, query: string): { start: number; end: number }[] {
  const wanted = new Set(wordsOf(query).map(({ word }) => word));
  if (wanted.size === 0) return [];
  const has = (folded: string): boolean => [...wanted].some((word) => folded.includes(word));
  const highlights: { start: number; end: number }[] = [];
  let [unit, point] = [0, 0];
  const pointAt = (to: number): number => {
    for (; unit < to; unit++) if ((text.charCodeAt(unit) & 0xfc00) !== 0xdc00) point += 1;
    return point;
  };
  // Cutting into words is slow, so only parts are cut that are no plain word and have something of the query.
  for (const { 0: part, index } of text.matchAll(between)) {
    const [, word] = plain.exec(part) ?? [];
    if (word !== undefined) {
      if (!wanted.has(word.toLowerCase())) continue;
      const start = index + part.indexOf(word);
      highlights.push({ start: pointAt(start), end: pointAt(start + word.length) });
      continue;
    }
    if (!has(fold(part))) continue;
    for (const one of wordsOf(part))
      if (wanted.has(one.word)) highlights.push({ start: pointAt(index + one.start), end: pointAt(index + one.end) });
  }
  return highlights;
}

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const { segment, index, isWordLike } of segmenter.segment(text))
    if (isWordLike === true) words.push({ word: fold(segment), start: index, end: index + segment.length });
  return words;
}

function fold(word: string): string {
  return isAscii(word) ? word.toLowerCase() : word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
