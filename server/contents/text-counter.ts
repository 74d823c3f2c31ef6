import { measureOf } from '../chunking/measure.ts';
import { detectLanguage } from '../operators/filters/language-detector.ts';
import { addValue, createSketch, storedSketch } from '../engine/orders/sketch.ts';
import type { TextFacts } from './content-facts.ts';

/** Counts texts one by one: characters are code points, tokens are those of `o200k_base`, as in chunking. */
export function createTextCounter(): {
  add(text: string): void;
  facts(counts: Pick<TextFacts, 'texts' | 'empty' | 'repeated'>): TextFacts;
} {
  const [charactersOf, tokensOf] = [measureOf('CHARACTERS'), measureOf('TOKENS')];
  const [characters, tokens] = [createSketch(), createSketch()];
  const languages = new Map<string, number>();
  let [characterSum, tokenSum] = [0, 0];
  return {
    add(text) {
      const [length, count] = [charactersOf(text), tokensOf(text)];
      addValue(characters, 'COUNT', length);
      addValue(tokens, 'COUNT', count);
      characterSum += length;
      tokenSum += count;
      const language = detectLanguage(text);
      languages.set(language, (languages.get(language) ?? 0) + 1);
    },
    facts: (counts) => ({
      ...counts,
      characters: { ...storedSketch(characters), sum: characterSum },
      tokens: { ...storedSketch(tokens), sum: tokenSum },
      languages: Object.fromEntries(languages),
    }),
  };
}
