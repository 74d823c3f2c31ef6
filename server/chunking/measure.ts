import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** The length of a piece of text in the units of a chunking. */
export type LengthMeasure = (text: string) => number;

/** Characters are code points; tokens are those of `o200k_base`, which other models' tokens come close to. */
export function measureOf(unit: 'CHARACTERS' | 'TOKENS'): LengthMeasure {
  return unit === 'CHARACTERS' ? codePointsOf : (text) => countTokens(text, { disallowedSpecial: new Set() });
}

function codePointsOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}
