import { isWordCodePoint } from './characters.ts';
import { linesOf, type TextLines, type TextParts } from './text-lines.ts';
import { createPlainWordFinder, type PlainWordFinder, type PlainWords } from './plain-words.ts';
import { createTokenizer, type Tokenizer } from './text-words.ts';
import { tokenTraits, type TextTokens } from './text-tokens.ts';
import { unitsOf, unitTraits } from './text-units.ts';

/** Number of characters of each kind in a text, in code points. */
export type CharacterCounts = {
  all: number;
  letters: number;
  uppercase: number;
  digits: number;
  punctuation: number;
  spaces: number;
};

/** Figures of a text's words: tokens that are more than punctuation. */
export type WordFigures = { words: number; wordLength: number; alphabetic: number; sentences: number };

/** Their buffers are reused for one text after another. */
type Finders = { tokensOf: Tokenizer; plainWordsOf: PlainWordFinder };

/** What filters measure of a text. Each part is computed on first use and shared by all operators. */
export class TextView {
  readonly text: string;
  readonly #finders: Finders;
  #tokens: TextTokens | undefined;
  #figures: WordFigures | undefined;
  #lines: TextLines | undefined;
  #characters: CharacterCounts | undefined;
  #hashes: ReadonlySet<number> | undefined;
  #plainWords: PlainWords | undefined;

  constructor(text: string, finders: Finders) {
    this.text = text;
    this.#finders = finders;
  }

  get tokens(): TextTokens {
    return (this.#tokens ??= this.#finders.tokensOf(this.text));
  }

  get words(): WordFigures {
    return (this.#figures ??= figuresOf(this.tokens));
  }

  get plainWords(): PlainWords {
    return (this.#plainWords ??= this.#finders.plainWordsOf(this.text));
  }

  get lines(): TextLines {
    return (this.#lines ??= linesOf(this.text));
  }

  get characters(): CharacterCounts {
    return (this.#characters ??= countCharacters(this.text));
  }

  /** The hashes of the distinct tokens. */
  get tokenHashes(): ReadonlySet<number> {
    return (this.#hashes ??= new Set(this.tokens.hashes));
  }
}

/** Views of texts. Consecutive steps on the same text share one. */
export type TextViews = { of(text: string): TextView };

/** Views of longer texts are not kept for the next operator: they take several times the text's memory. */
const longestHeld = 1 << 22;

export function createTextViews(): TextViews {
  const finders = { tokensOf: createTokenizer(), plainWordsOf: createPlainWordFinder() };
  let last = new TextView('', finders);
  return {
    of(text) {
      if (last.text === text) return last;
      const view = new TextView(text, finders);
      if (text.length <= longestHeld) last = view;
      return view;
    },
  };
}

function figuresOf({ count, lengths, traits: kinds }: TextTokens): WordFigures {
  const figures = { words: 0, wordLength: 0, alphabetic: 0, sentences: 0 };
  let isEnded = true;
  for (let index = 0; index < count; index += 1) {
    const kind = kinds[index] ?? 0;
    if ((kind & tokenTraits.word) !== 0) {
      figures.words += 1;
      figures.wordLength += lengths[index] ?? 0;
    }
    if ((kind & tokenTraits.alphabetic) !== 0) figures.alphabetic += 1;
    // A sentence begins after the punctuation that ends the previous one, and on each line.
    if ((kind & tokenTraits.lineStart) !== 0) isEnded = true;
    const isMark = (kind & (tokenTraits.punctuation | tokenTraits.sentenceEnd)) !== 0;
    if (isEnded && (!isMark || (kind & tokenTraits.lineStart) !== 0)) {
      figures.sentences += 1;
      isEnded = false;
    }
    if ((kind & tokenTraits.sentenceEnd) !== 0) isEnded = true;
  }
  return figures;
}

function countCharacters(text: string): CharacterCounts {
  const source = unitsOf(text);
  const of = unitTraits();
  const counts = { all: source.length, letters: 0, uppercase: 0, digits: 0, punctuation: 0, spaces: 0 };
  let halves = 0;
  for (let at = 0; at < source.length; at += 1) {
    const trait = of[source[at] ?? 0] ?? 0;
    // Without branches, which would be mispredicted at every comma.
    counts.letters += trait & 1;
    counts.uppercase += (trait >>> 1) & 1;
    counts.digits += (trait >>> 3) & 1;
    counts.spaces += (trait >>> 4) & 1;
    counts.punctuation += (trait >>> 5) & 1;
    halves += (trait >>> 11) & 1;
  }
  if (halves > 0) addPairs(text, counts);
  return counts;
}

const uppercase = /^\p{Lu}$/u;
const digit = /^\p{Nd}$/u;
const punctuation = /^\p{P}$/u;

/** Corrects the counts for surrogate pairs. */
function addPairs(text: string, counts: CharacterCounts): void {
  for (let at = 0; at < text.length; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800) continue;
    const codePoint = text.codePointAt(at) ?? 0;
    if (codePoint <= 0xffff) continue;
    at += 1;
    counts.all -= 1;
    const character = String.fromCodePoint(codePoint);
    if (digit.test(character)) counts.digits += 1;
    else if (isWordCodePoint(codePoint)) counts.letters += 1;
    if (uppercase.test(character)) counts.uppercase += 1;
    if (punctuation.test(character)) counts.punctuation += 1;
  }
}

/** A share to four decimals; 0 if the whole is 0. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}

/** The share of lines or paragraphs with a trait. */
export function lineShare({ count, traits: kinds }: TextParts, trait: number): number {
  let found = 0;
  for (const kind of kinds) if ((kind & trait) !== 0) found += 1;
  return shareOf(found, count);
}
