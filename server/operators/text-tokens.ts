import { mix } from './deduplicators/minhash-kernel.ts';

/** Traits of a token; several bits may be set. */
export const tokenTraits = {
  /** Has a letter. */
  alphabetic: 1,
  /** Is more than punctuation and signs. */
  word: 2,
  /** Ends a sentence. */
  sentenceEnd: 4,
  punctuation: 8,
  /** Is the first one of its line. */
  lineStart: 16,
  /** Is a character of a script without spaces. */
  single: 32,
} as const;

/**
 * The tokens of a text, in order: words, numbers, and punctuation marks that are split off. In scripts without spaces,
 * each character is a word. English contractions are two tokens (`do`, `n't`), as in the tokenizer of spaCy, whose
 * affix and infix rules these are.
 */
export type TextTokens = {
  readonly count: number;
  /** Where each token begins and ends, in UTF-16 units. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Hashes of their texts, case-sensitive. */
  readonly hashes: Uint32Array;
  /** Lengths in code points. */
  readonly lengths: Uint32Array;
  readonly traits: Uint8Array;
};

/** FNV-1a constants, before the final mixing. */
export const place = 0x0100_0193;
export const basis = 0x811c_9dc5;

/** The hash of a token. */
export function hashOfToken(token: string): number {
  let hash = basis;
  for (let at = 0; at < token.length; at += 1) hash = Math.imul(hash ^ token.charCodeAt(at), place);
  return mix(hash) >>> 0;
}
