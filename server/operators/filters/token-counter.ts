import { createRequire } from 'node:module';
import type * as tokenizer from 'gpt-tokenizer/encoding/o200k_base';

type Tokenizer = Pick<typeof tokenizer, 'countTokens' | 'clearMergeCache'>;

let loaded: Tokenizer | undefined;

/** The tokenizer's time grows with the square of a word, or of a run of white space: longer ones are counted in parts. */
const longRun = /\S{256}(?=\S)|\s{256}(?=\s)/gu;

/** It remembers words, each of which keeps all of its text in memory, until this many characters have been counted. */
const charactersRemembered = 1 << 24;
let counted = 0;

/**
 * The number of tokens of a text in `o200k_base`. Its table takes 70 MiB of each thread that uses it, so it is loaded at the
 * first text.
 */
export function countTokens(text: string): number {
  loaded ??= createRequire(import.meta.url)('gpt-tokenizer/encoding/o200k_base') as Tokenizer;
  counted += text.length;
  if (counted > charactersRemembered) {
    loaded.clearMergeCache();
    counted = 0;
  }
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
