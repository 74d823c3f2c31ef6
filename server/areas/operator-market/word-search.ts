import type { MarketOperator } from './schemas/operators.ts';

/** Weights of a hit in an operator's name, its description, and its parameters. */
const weights = [4, 2, 1] as const;
/** Factor for a hit of the word itself rather than of a synonym. */
const exactFactor = 1.5;
const maxWords = 20;
const maxMeanings = 40;

/** A wanted word, followed by its synonyms, normalised for comparison. */
export type WantedWord = readonly string[];

/** Parses words separated by commas, each with its synonyms after `|`, as in `links|url,remove`. */
export function parseWords(words: string): WantedWord[] {
  return words
    .split(',')
    .slice(0, maxWords)
    .map((word) =>
      word
        .split('|')
        .slice(0, maxMeanings)
        .map((meaning) => plain(meaning).trim())
        .filter((meaning) => meaning !== ''),
    )
    .filter((meanings) => meanings.length > 0);
}

/** How well an operator matches: the number of words found, then a rank by where they were found. */
export function fitOf(operator: MarketOperator, words: readonly WantedWord[]): { hits: number; rank: number } {
  const places = placesOf(operator);
  const ranks = words.map(([exact = '', ...others]) =>
    Math.max(exactFactor * best(places, [exact]), best(places, others)),
  );
  return { hits: ranks.filter((rank) => rank > 0).length, rank: ranks.reduce((sum, rank) => sum + rank, 0) };
}

/**
 * Operators that match all words, best first. If none does, those that match the most words, at least half of them:
 * users write more words than the author of an operator thought of.
 */
export function searchWords(operators: readonly MarketOperator[], words: readonly WantedWord[]): MarketOperator[] {
  const fits = operators.map((operator) => ({ operator, ...fitOf(operator, words) }));
  const most = Math.max(0, ...fits.map(({ hits }) => hits));
  if (most === 0 || most < words.length / 2) return [];
  return fits
    .filter(({ hits }) => hits === most)
    .toSorted((one, other) => other.rank - one.rank || (one.operator.id < other.operator.id ? -1 : 1))
    .map(({ operator }) => operator);
}

function best(places: readonly string[], words: readonly string[]): number {
  return Math.max(0, ...places.map((place, at) => (words.some((word) => holds(place, word)) ? (weights[at] ?? 0) : 0)));
}

function placesOf({ id, name, author, description, categories, paramsSchema }: MarketOperator): string[] {
  return [
    `${name} ${id.replaceAll('-', ' ')} ${id}`,
    `${categories.join(' ')} ${author} ${description}`,
    JSON.stringify(paramsSchema['properties'] ?? {}),
  ].map(plain);
}

/** Whether a word of the text starts with `word`; Chinese words match anywhere. */
function holds(place: string, word: string): boolean {
  if (/\p{Script=Han}/u.test(word)) return place.includes(word);
  for (let at = place.indexOf(word); at !== -1; at = place.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(place.charAt(at - 1))) return true;
  }
  return false;
}

/** Lower case without hyphens, so that "e-mail" equals "email". */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/[-‐‑]/g, '');
}
