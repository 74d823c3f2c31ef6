/** A word without case and accents, and where it stands. */
export type Word = { word: string; start: number; end: number };

/** Grows when texts are cut into other words: indexes of an earlier cut are made again. */
export const wordsVersion = '3';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
/** Node's words reach over colons, those of the index do not. */
const withoutColons = /[^:\uff1a]+/g;
/** What holds letters together, as in names of files, settings and variables: a dot, but not one between digits, or an underscore. */
const joint = /(?<!\p{Nd}(?=.\p{Nd}))\.|_/u;
/** What may hold such a joint: letters that are no words by themselves. */
const letter =
  '[[\\p{L}\\p{N}_]--[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]]';
const joined = new RegExp(`(?<!${letter})(?:${letter}+(?:\\.${letter}+)+|${letter}*_${letter}*)`, 'gv');
/** Words of ASCII as the segmenter cuts them, 20 times as fast: dots and apostrophes are in them between letters, commas between digits. */
const asciiWord = /[0-9A-Za-z_]+(?:(?:(?<=[A-Za-z])[.'](?=[A-Za-z])|(?<=[0-9])[.',;](?=[0-9]))[0-9A-Za-z_]+)*/g;
const asciiLetter = /[0-9A-Za-z]/;
/** Single letters, as of “e.g.”, tell nothing. */
const shortestPart = 2;

/** The words of a text as an index has them, each as a whole. */
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

/** The parts by which a word that dots or underscores hold together is found as well: `modprobe` and `conf` of `modprobe.conf`. */
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

/** Every text with joints has this; looking for it takes a fraction of the time that looking for them takes. */
const mayBeJoint = /_|\.[\p{L}\p{N}]/u;

/** A text, and behind it the parts of its words: what an index is made of and what it is asked. */
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
