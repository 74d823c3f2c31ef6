const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Where words of the query stand in a text, in code points; without case and accents, as the word index finds them. */
export function findHighlights(text: string, query: string): { start: number; end: number }[] {
  const wanted = new Set(wordsOf(query).map(({ word }) => word));
  if (wanted.size === 0) return [];
  const highlights: { start: number; end: number }[] = [];
  let [unit, point] = [0, 0];
  const pointAt = (to: number): number => {
    for (; unit < to; unit++) if ((text.charCodeAt(unit) & 0xfc00) !== 0xdc00) point += 1;
    return point;
  };
  for (const { word, start, end } of wordsOf(text))
    if (wanted.has(word)) highlights.push({ start: pointAt(start), end: pointAt(end) });
  return highlights;
}

function wordsOf(text: string): { word: string; start: number; end: number }[] {
  const words: { word: string; start: number; end: number }[] = [];
  for (const { segment, index, isWordLike } of segmenter.segment(text))
    if (isWordLike === true) words.push({ word: fold(segment), start: index, end: index + segment.length });
  return words;
}

function fold(word: string): string {
  return word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
