import type { MarketOperator } from './schemas/operators.ts';

/** The weight of a hit: in what an operator is called, in what it does, in what can be set. */
const weights = [4, 2, 1] as const;
/** A word counts more than one that means the same. */
const exactFactor = 1.5;
const maxWords = 20;
const maxMeanings = 40;

/** A wanted word and those that mean the same, the word itself first; in the form in which texts are compared. */
export type WantedWord = readonly string[];

/** `links|url,remove`: words, and behind `|` what means the same. */
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

/** How well an operator fits: how many of the words it has, and then where. */
export function fitOf(operator: MarketOperator, words: readonly WantedWord[]): { hits: number; rank: number } {
  const places = placesOf(operator);
  const ranks = words.map(([exact = '', ...others]) =>
    Math.max(exactFactor * best(places, [exact]), best(places, others)),
  );
  return { hits: ranks.filter((rank) => rank > 0).length, rank: ranks.reduce((sum, rank) => sum + rank, 0) };
}

/**
 * Operators that have all the words, best first. If none has them all, those with most of them, of half at least: people
 * write more than the author of an operator thought of.
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

/** Whether a word begins in the text with it; Chinese words begin anywhere. */
function holds(place: string, word: string): boolean {
  if (/\p{Script=Han}/u.test(word)) return place.includes(word);
  for (let at = place.indexOf(word); at !== -1; at = place.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(place.charAt(at - 1))) return true;
  }
  return false;
}

/** Lower case; what a hyphen joins is one word: e-mail is email. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/[-‐‑]/g, '');
}
