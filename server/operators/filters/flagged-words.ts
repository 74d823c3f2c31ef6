import { createRequire } from 'node:module';

/** Listed characters that occur in harmless words; the cleaning of mC4 leaves them out for the same reason. */
const harmless = new Set(['性']);

/** The English and Chinese words of the "List of Dirty, Naughty, Obscene, and Otherwise Bad Words" (CC BY 4.0). */
export function flaggedWords(): string[] {
  const load = createRequire(import.meta.url);
  const lists = [load('naughty-words/en.json'), load('naughty-words/zh.json')] as string[][];
  return lists.flat().filter((word) => !harmless.has(word));
}
