/** A word without case and accents, and its position. */
export type Word = { word: string; start: number; end: number };

/** Changed when texts are split into other words: indexes of an earlier version are rebuilt. */
export const wordsVersion = '3';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
/** Splits at colons, which Node's words may contain and those of the index may not. */
const withoutColons = /[^:\uff1a]+/g;
/** What joins letters in names of files, settings and variables: a dot that is not between digits, or an underscore. */
const joint = /(?<!\p{Nd}(?=.\p{Nd}))\.|_/u;
/** Characters that such a joint may connect: letters that are not words by themselves. */
const letter =
  '[[\\p{L}\\p{N}_]--[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]]';
const joined = new RegExp(`(?<!${letter})(?:${letter}+(?:\\.${letter}+)+|${letter}*_${letter}*)`, 'gv');
/** ASCII words as the segmenter splits them, 20 times faster: with dots and apostrophes between letters, and commas between digits. */
const asciiWord = /[0-9A-Za-z_]+(?:(?:(?<=[A-Za-z])[.'](?=[A-Za-z])|(?<=[0-9])[.',;](?=[0-9]))[0-9A-Za-z_]+)*/g;
const asciiLetter = /[0-9A-Za-z]/;
/** Single letters, such as those of “e.g.”, carry no meaning. */
const shortestPart = 2;

/** The words of a text as in an index, each as a whole. */
export function cutWords(text: string): Word[] {
  const words: Word[] = [];
  if (isAscii(text)) {
    for (const { 0: word, index } of text.matchAll(asciiWord))
      if (asciiLetter.test(word)) words.push({ word: word.toLowerCase(), start: index, end: index + word.length });
    return words;
  }
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    if (isWordLike !== true) continue;
    for (const { 0: word, index: at } of segment.matchAll(withoutColons))
      words.push({ word: foldWord(word), start: index + at, end: index + at + word.length });
  }
  return words;
}

/** The parts that also find a word joined by dots or underscores: `modprobe` and `conf` for `modprobe.conf`. */
export function partsOf(word: string): { part: string; start: number }[] {
  const pieces = word.split(joint);
  if (pieces.length === 1) return [];
  let start = 0;
  return pieces.flatMap((part) => {
    const one = { part, start };
    start += part.length + 1;
    return part.length < shortestPart ? [] : [one];
  });
}

/** Matches every text with joints, in a fraction of the time of searching for the joints. */
const mayBeJoint = /_|\.[\p{L}\p{N}]/u;

/** A text followed by the parts of its words: the form that is indexed and queried. */
export function withParts(text: string): string {
  if (!mayBeJoint.test(text)) return text;
  const parts = Array.from(text.matchAll(joined), ([word]) => partsOf(word)).flat();
  return parts.length === 0 ? text : `${text}\n${parts.map(({ part }) => part).join(' ')}`;
}

export function foldWord(word: string): string {
  return isAscii(word) ? word.toLowerCase() : word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
