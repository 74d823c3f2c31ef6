import type { Operator } from '../../api/schema.ts';
import { fieldsOf } from '../../ui/schema-fields.ts';
import { isEveryday, isIdle, wordsLike } from './everyday-words.ts';

type Searched = Pick<Operator, 'id' | 'name' | 'description' | 'categories' | 'paramsSchema'>;

/** The weight of a hit: in what an operator is called, in what it does, in what can be set. */
const weights = [4, 2, 1] as const;
/** A word counts more than one that people use in its place. */
const exactFactor = 1.5;
/** So few are looked through however they were found. */
const fewOperators = 20;

/**
 * Operators by what they do, best first: each word wanted, or one that people use for the same, occurs in the name, the
 * categories, the description, or a parameter. If no operator has them all, those with most of the words. Plurals,
 * hyphens and letter case make no difference.
 */
export function findOperators<T extends Searched>(operators: readonly T[], wanted: string): T[] {
  const words = wordsOf(wanted);
  if (words.length === 0) return [...operators];
  const ranked = operators.map((operator, order) => {
    const places = placesOf(operator);
    const ranks = words.map((word) => rankOf(places, word));
    return {
      operator,
      order,
      hits: ranks.filter((rank) => rank > 0).length,
      rank: ranks.reduce((sum, rank) => sum + rank, 0),
    };
  });
  const most = Math.max(...ranked.map(({ hits }) => hits));
  if (most < words.length / 2) return [];
  const found = ranked.filter(({ hits }) => hits > 0 && hits === most);
  // What most operators have, such as "remove" without the rest of the search, tells none from the others.
  if (most < words.length && found.length > Math.max(fewOperators, operators.length / 2)) return [];
  return found.toSorted((a, b) => b.rank - a.rank || a.order - b.order).map(({ operator }) => operator);
}

const maxSentWords = 12;

/** The words of a search with those that people use for the same, as the service takes them: `remove|delete,links|url`. */
export function wordsToSend(wanted: string): string {
  return wordsOf(wanted.replaceAll(/[,|]/g, ' '))
    .slice(0, maxSentWords)
    .map((word) => [...new Set(wordsLike(word).map(plain))].join('|'))
    .join(',');
}

/** The words of a search; Chinese is written without spaces. */
function wordsOf(wanted: string): string[] {
  const parts = plain(wanted)
    .split(/\s+/)
    .flatMap((part) => (/\p{Script=Han}/u.test(part) ? chineseWords(part) : [part]))
    .filter((word) => word !== '');
  const meant = parts.filter((word) => !isIdle(word));
  return meant.length === 0 ? parts : meant;
}

/** Everyday words, the longest first; what is between them is a word, too. */
function chineseWords(part: string): string[] {
  const words = [''];
  for (let at = 0; at < part.length;) {
    const known = [4, 3, 2, 1]
      .map((length) => part.slice(at, at + length))
      .find((word) => isEveryday(word) || isIdle(word));
    if (known === undefined) words.push((words.pop() ?? '') + part.charAt(at));
    else words.push(known, '');
    at += known?.length ?? 1;
  }
  return words;
}

function rankOf(places: readonly string[], word: string): number {
  const [exact, single, ...others] = wordsLike(word).map(plain);
  const best = (words: readonly (string | undefined)[]): number =>
    Math.max(
      0,
      ...places.map((place, index) =>
        words.some((one) => one !== undefined && holds(place, one)) ? (weights[index] ?? 0) : 0,
      ),
    );
  return Math.max(exactFactor * best([exact, single]), best(others));
}

/** Whether a word begins in the text with it; Chinese words begin anywhere. */
function holds(place: string, word: string): boolean {
  if (/\p{Script=Han}/u.test(word)) return place.includes(word);
  for (let at = place.indexOf(word); at !== -1; at = place.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(place.charAt(at - 1))) return true;
  }
  return false;
}

function placesOf({ id, name, description, categories, paramsSchema }: Searched): string[] {
  const params = fieldsOf(paramsSchema).map((field) =>
    [field.label, field.help ?? '', ...(field.kind === 'choice' ? field.options : [])].join(' '),
  );
  return [`${name} ${id.replaceAll('-', ' ')} ${id}`, `${categories.join(' ')} ${description}`, params.join(' ')].map(
    plain,
  );
}

/** Lower case; what a hyphen joins is one word: e-mail is email. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/[-‐‑]/g, '');
}
