import type { Operator } from '../../api/schema.ts';
import { fieldsOf } from '../../ui/schema-fields.ts';
import { isEveryday, isIdle, wordsLike } from './everyday-words.ts';

type Searched = Pick<Operator, 'id' | 'name' | 'description' | 'categories' | 'paramsSchema'>;

/** Weight of a hit in an operator's name, in its description, in its parameters. */
const weights = [4, 2, 1] as const;
/** An exact word counts more than a synonym. */
const exactFactor = 1.5;
/** So few operators are listed however weakly they match. */
const fewOperators = 20;

/**
 * Operators by what they do, best first: every word of the search, or a synonym, occurs in the name, the categories,
 * the description, or a parameter. If no operator has all the words, those with most of them. Plurals, hyphens and
 * letter case make no difference.
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
  // A partial match that most operators share, such as "remove" alone, does not discriminate.
  if (most < words.length && found.length > Math.max(fewOperators, operators.length / 2)) return [];
  return found.toSorted((a, b) => b.rank - a.rank || a.order - b.order).map(({ operator }) => operator);
}

const maxSentWords = 12;

/** The words of a search with their synonyms, in the service's format: `remove|delete,links|url`. */
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

/** Splits by everyday words, the longest first; what remains between them is a word, too. */
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

/** Whether a word in the text begins with this one; Chinese words may begin anywhere. */
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

/** Lower case without hyphens: e-mail is email. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/[-‐‑]/g, '');
}
