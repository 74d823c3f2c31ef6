import { createRequire } from 'node:module';
import type * as tokenizer from 'gpt-tokenizer/encoding/o200k_base';

/** Measures the length of a text in the units of a chunking. */
export type LengthMeasure = (text: string) => number;

type Tokenizer = Pick<typeof tokenizer, 'countTokens' | 'clearMergeCache'>;

let loaded: Tokenizer | undefined;

/** Maximum characters of a token, as counted here. */
export const maxTokenCharacters = 256;

/**
 * The tokenizer takes quadratic time in the length of a word or of a run of white space: longer ones are counted in
 * parts.
 */
const longRun = /\S{256}(?=\S)|\s{256}(?=\s)/gu;

/**
 * The tokenizer caches words, each of which keeps its whole source text in memory; the cache is cleared after this many
 * characters.
 */
const charactersRemembered = 1 << 24;
let counted = 0;

/** Characters are code points; tokens are those of `o200k_base`, which is close to the tokenizers of other models. */
export function measureOf(unit: 'CHARACTERS' | 'TOKENS'): LengthMeasure {
  return unit === 'CHARACTERS' ? codePointsOf : countTokens;
}

/** Clears the tokenizer's cache of words. */
export function forgetWords(): void {
  loaded?.clearMergeCache();
  counted = 0;
}

/**
 * The number of `o200k_base` tokens in a text. The table takes 70 MiB per thread that uses it, so it is loaded on first
 * use.
 */
export function countTokens(text: string): number {
  loaded ??= createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as Tokenizer;
  counted += text.length;
  if (counted > charactersRemembered) forgetWords();
  let [tokens, from] = [0, 0];
  for (const { index, 0: part } of text.matchAll(longRun)) {
    tokens += count(loaded, text.slice(from, index + part.length));
    from = index + part.length;
  }
  return tokens + count(loaded, text.slice(from));
}

function count(of: Tokenizer, text: string): number {
  return of.countTokens(text, { disallowedSpecial: new Set() });
}

function codePointsOf(text: string): number {
  let points = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) points -= 1;
  return points;
}
