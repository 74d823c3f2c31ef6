import type { Operator } from '../../../api/schema.ts';
import { fieldsOf } from '../../../ui/schema-fields.ts';

type Searched = Pick<Operator, 'id' | 'name' | 'description' | 'categories' | 'paramsSchema'>;

/** The weight of a hit: in what an operator is called, in what it does, in what can be set. */
const weights = [4, 2, 1] as const;

/**
 * Operators by what they do, best first: each word wanted occurs in the name, the categories, the description, or a parameter. Plurals,
 * hyphens and letter case make no difference.
 */
export function findOperators<T extends Searched>(operators: readonly T[], wanted: string): T[] {
  const words = plain(wanted)
    .split(/\s+/)
    .filter((word) => word !== '');
  const ranked = operators.flatMap((operator, order) => {
    const places = placesOf(operator);
    let rank = 0;
    for (const word of words) {
      const best = Math.max(...places.map((place, index) => (holds(place, word) ? (weights[index] ?? 0) : 0)));
      if (best === 0) return [];
      rank += best;
    }
    return [{ operator, rank, order }];
  });
  return ranked.toSorted((a, b) => b.rank - a.rank || a.order - b.order).map(({ operator }) => operator);
}

function placesOf({ id, name, description, categories, paramsSchema }: Searched): string[] {
  const params = fieldsOf(paramsSchema).map(({ label, help = '' }) => `${label} ${help}`);
  return [`${name} ${id}`, `${categories.join(' ')} ${description}`, params.join(' ')].map(plain);
}

function holds(place: string, word: string): boolean {
  if (place.includes(word)) return true;
  return word.length > 3 && word.endsWith('s') && place.includes(word.slice(0, -1));
}

/** Lower case; what a hyphen joins is one word: e-mail is email. */
function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/[-‐‑]/g, '');
}
