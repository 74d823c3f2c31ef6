import { chineseStopWords, stopWords } from './stop-words.ts';

/** A question made from a text: one of its sentences with a term left out. Positions count code points. */
export type Cloze = { question: string; answer: string; source: string; start: number; end: number };

const blank = '____';
/** Length of a sentence in characters: shorter ones have too little content, longer ones make no good question. */
const lengths = { latin: { min: 25, max: 400 }, chinese: { min: 10, max: 160 } };
/** Only this much of longer texts is read. */
const longestText = 200_000;

type Sentence = { text: string; startUnit: number; terms: Term[] };
type Term = { key: string; text: string; offset: number };

/**
 * Questions about a text, the most informative first: each sentence that can stand alone, with its key term left out.
 * Extractive: adds nothing that the text does not say. Supports English and other languages with spaces, and Chinese;
 * deterministic.
 */
export function makeClozes(text: string): Cloze[] {
  const read = text.slice(0, longestText).toWellFormed();
  const isChinese = isMostlyChinese(read);
  const sentences = splitSentences(read, isChinese ? 'zh' : 'en');
  const frequency = new Map<string, number>();
  const sentencesWith = new Map<string, number>();
  for (const { terms } of sentences) {
    for (const { key } of terms) frequency.set(key, (frequency.get(key) ?? 0) + 1);
    for (const key of new Set(terms.map((term) => term.key))) sentencesWith.set(key, (sentencesWith.get(key) ?? 0) + 1);
  }
  // Repeated terms are the subject of a text; terms in every sentence do not distinguish sentences.
  const weightOf = ({ key, text: word }: Term): number => {
    const spread = Math.log(1 + sentences.length / (sentencesWith.get(key) ?? 1));
    const isName = /^\p{Lu}/u.test(word) || /\p{N}/u.test(word);
    return (
      (1 + Math.log(frequency.get(key) ?? 1)) * (1 + spread) * (isName ? 1.3 : 1) * Math.min(2, 0.5 + word.length / 8)
    );
  };
  const { min, max } = isChinese ? lengths.chinese : lengths.latin;
  const ranked = sentences.flatMap((sentence) => {
    const { length } = sentence.text;
    if (length < min || length > max || sentence.terms.length < 3) return [];
    const weights = sentence.terms.map(weightOf);
    const best = weights.indexOf(Math.max(...weights));
    const term = sentence.terms[best];
    if (term === undefined) return [];
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return [{ sentence, term, score: total / Math.sqrt(weights.length) }];
  });
  ranked.sort((a, b) => b.score - a.score || a.sentence.startUnit - b.sentence.startUnit);
  return ranked.map(({ sentence, term }) => toCloze(read, sentence, term));
}

function toCloze(text: string, { text: flat, startUnit }: Sentence, { text: answer, offset }: Term): Cloze {
  const start = codePoints(text.slice(0, startUnit));
  const source = text.slice(startUnit, startUnit + flat.length);
  return {
    question: flat.slice(0, offset) + blank + flat.slice(offset + answer.length),
    answer,
    source,
    start,
    end: start + codePoints(source),
  };
}

function splitSentences(text: string, locale: 'en' | 'zh'): Sentence[] {
  const sentenceSegmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
  const wordSegmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  const sentences: Sentence[] = [];
  for (const paragraph of paragraphsOf(text)) {
    for (const { segment, index } of sentenceSegmenter.segment(paragraph.text)) {
      const trimmed = segment.trim();
      if (trimmed === '') continue;
      const startUnit = paragraph.start + index + segment.indexOf(trimmed);
      const terms: Term[] = [];
      for (const word of wordSegmenter.segment(trimmed))
        if (word.isWordLike === true && isTerm(word.segment))
          terms.push({ key: word.segment.toLowerCase(), text: word.segment, offset: word.index });
      sentences.push({ text: trimmed, startUnit, terms });
    }
  }
  return sentences;
}

/** Lines that stand alone, such as headings and list items. */
const standsAlone = /^\s*(?:$|[#>*•|+–—-]|\d+[.)])/;

/** Joins consecutive lines into paragraphs, with spaces for the line breaks: a sentence may span several lines. */
function paragraphsOf(text: string): { text: string; start: number }[] {
  const paragraphs: { text: string; start: number }[] = [];
  let goesOn = false;
  for (const { 0: line, index: start } of text.matchAll(/[^\n]*\n?/g)) {
    const flat = line.replaceAll(/[\r\n]/g, ' ');
    const last = paragraphs.at(-1);
    const isAlone = standsAlone.test(line);
    if (goesOn && !isAlone && last !== undefined) last.text += flat;
    else paragraphs.push({ text: flat, start });
    goesOn = !isAlone;
  }
  return paragraphs;
}

function isTerm(word: string): boolean {
  if (/\p{Script=Han}/u.test(word)) return codePoints(word) >= 2 && !chineseStopWords.has(word);
  return word.length >= 3 && /[\p{L}\p{N}]/u.test(word) && !stopWords.has(word.toLowerCase());
}

function isMostlyChinese(text: string): boolean {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return han * 3 > letters;
}

function codePoints(text: string): number {
  let count = text.length;
  // The second half of a surrogate pair is not a character.
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}
