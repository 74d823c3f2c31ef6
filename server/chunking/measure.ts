import { clearMergeCache, countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** The length of a piece of text in the units of a chunking. */
export type LengthMeasure = (text: string) => number;

/** Characters that a token has at most, as they are counted here. */
export const maxTokenCharacters = 256;

/** The tokenizer's time grows with the square of a word, or of a run of white space: longer ones are counted in parts. */
const longRun = /\S{256}(?=\S)|\s{256}(?=\s)/gu;

/** Characters are code points; tokens are those of `o200k_base`, which other models' tokens come close to. */
export function measureOf(unit: 'CHARACTERS' | 'TOKENS'): LengthMeasure {
  return unit === 'CHARACTERS' ? codePointsOf : tokensOf;
}

/** Lets go of words that the tokenizer remembers, each of which keeps all of its text in memory. */
export function forgetWords(): void {
  clearMergeCache();
}

function tokensOf(text: string): number {
  let [tokens, from] = [0, 0];
  for (const { index, 0: part } of text.matchAll(longRun)) {
    tokens += count(text.slice(from, index + part.length));
    from = index + part.length;
  }
  return tokens + count(text.slice(from));
}

function count(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}

function codePointsOf(text: string): number {
  let points = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) points -= 1;
  return points;
}
