import { foldText, foldWord, isAscii } from './text-folding.ts';
import { partsOf } from './word-parts.ts';

/** A word without case and accents, and its position. */
export type Word = { word: string; start: number; end: number };

/** Changed when texts are split into other words: indexes of an earlier version are rebuilt. */
export const wordsVersion = '4';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
/** Splits at colons, which Node's words may contain and those of the index may not. */
const withoutColons = /[^:\uff1a]+/g;
/** Characters that a dot or underscore may connect: letters that are not words by themselves. */
const letter =
  '[[\\p{L}\\p{N}_]--[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]]';
/** Words that may have parts: joined by dots or underscores, of code and measures, Korean, Arabic, Hebrew. */
const composed = new RegExp(
  `(?<!${letter})(?:${letter}+(?:\\.${letter}+)+|${letter}*_${letter}*)|(?<![A-Za-z0-9])[A-Za-z0-9]*(?:[a-z][A-Z]|[A-Z]{3}[a-z])[A-Za-z0-9]*|(?<![\\p{L}\\p{N}])[0-9]+(?:[A-Za-z]{2,4}|[\\p{L}--[A-Za-z]]\\p{L}{0,3})(?![\\p{L}\\p{N}])|\\p{L}+(?:'\\p{L}+)+|[\\uac00-\\ud7a3]{2,}|[\\u05d0-\\u05ea]{4,}|[\\u0621-\\u064a]{5,}`,
  'gv',
);
/** Matches every text with such words, in a fraction of the time of searching for them. */
const mayBeComposed =
  /_|\p{L}'\p{L}|\.[\p{L}\p{N}]|[a-z][A-Z]|[A-Z]{3}[a-z]|[0-9]\p{L}|[\u05d0-\u05ea\u0621-\u064a\uac00-\ud7a3]/u;
/** Words that are also written as one: `e-mail`, `ABC-1234-X7`. */
const hyphenated = /(?<![\p{L}\p{N}-])[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+){1,6}(?![\p{L}\p{N}-])/gu;
const longestHyphenated = 40;
/** Numbers with marks between thousands: 1,234.56 and 1'234.56. */
const grouped = /(?<![\d.,'])\d{1,3}(?:([,'])\d{3})(?:\1\d{3})*(?:\.\d+)?(?![\d,'])/g;
/** ASCII words as the segmenter splits them, 20 times faster: with dots and apostrophes between letters, and commas between digits. */
const asciiWord = /[0-9A-Za-z_]+(?:(?:(?<=[A-Za-z])[.'](?=[A-Za-z])|(?<=[0-9])[.',;](?=[0-9]))[0-9A-Za-z_]+)*/g;
const asciiLetter = /[0-9A-Za-z]/;
/** Words with a part in Markdown's emphasis: `**W**ombats`. */
const emphasized = /\p{L}+(?:\*{1,3}\p{L}+){1,4}/gu;
/** Characters of scripts that dictionaries split into words, which differ with what stands around them. */
const runs = /\p{Script=Han}+|[\uac00-\ud7a3]{2,}/gu;
const mayHaveRuns = /[\p{Script=Han}\uac00-\ud7a3]/u;

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

/**
 * A text in the form that is indexed: folded, and followed by other forms of its words. Ideographs are added one by one
 * and, like Korean syllables, in pairs, because dictionaries cut the same characters differently in other sentences.
 */
export function indexedForm(text: string): string {
  return withForms(text, { singles: true });
}

/** A query in the form that is searched for: without single ideographs, unless they are words of it. */
export function queriedForm(query: string): string {
  return withForms(query, { singles: false });
}

function withForms(text: string, { singles }: { singles: boolean }): string {
  const folded = foldText(text);
  const forms = new Set<string>();
  if (mayBeComposed.test(folded))
    for (const [word] of folded.matchAll(composed)) for (const { part } of partsOf(word)) forms.add(part);
  for (const [word] of folded.matchAll(hyphenated))
    if (word.length <= longestHyphenated) forms.add(word.replaceAll('-', ''));
  if (folded.includes('*')) for (const [word] of folded.matchAll(emphasized)) forms.add(word.replaceAll('*', ''));
  for (const [number, mark = ''] of folded.matchAll(grouped)) forms.add(number.replaceAll(mark, ''));
  if (mayHaveRuns.test(folded)) for (const [run] of folded.matchAll(runs)) addPairs(forms, [...run], singles);
  return forms.size === 0 ? folded : `${folded}\n${[...forms].join(' ')}`;
}

function addPairs(forms: Set<string>, run: readonly string[], singles: boolean): void {
  const isKorean = hangul.test(run[0] ?? '');
  for (let at = 0; at < run.length; at++) {
    const [one = '', next] = [run[at], run[at + 1]];
    if (singles && !isKorean) forms.add(one);
    if (next === undefined) continue;
    if (!isKorean) forms.add(pairOf(one, next));
    else if (run.length > 2) forms.add(one + next);
  }
}

const hangul = /[\uac00-\ud7a3]/;

/** A pair of ideographs as one word: the index would cut the pair itself by its dictionary. */
function pairOf(one: string, other: string): string {
  return `u${codeOf(one)}u${codeOf(other)}`;
}

const codes = new Map<string, string>();

function codeOf(character: string): string {
  let code = codes.get(character);
  if (code === undefined) codes.set(character, (code = (character.codePointAt(0) ?? 0).toString(36)));
  return code;
}
