import { numberAs } from '../lists/number-formats.ts';
import type { WordContext } from './word-context.ts';
import { decimalLevel, type ListPlace } from './word-styles.ts';

/**
 * Counts an item, and returns its label as its reader sees it: empty for a bullet. Lists of one definition go on counting
 * unless they begin again; an item restarts the numbering of deeper levels.
 */
export function nextLabel({ listId, level, list }: ListPlace, { items, begun }: WordContext): string {
  const { definition, levels } = list;
  const own = levels[level] ?? decimalLevel;
  const counts = (items.get(definition) ?? []).slice(0, level + 1);
  const key = `${listId}/${level}`;
  if (own.restarts && !begun.has(key)) counts[level] = own.start - 1;
  begun.add(key);
  counts[level] = (counts[level] ?? own.start - 1) + 1;
  items.set(definition, counts);
  if (own.format === 'bullet') return '';
  const template = own.label ?? `%${level + 1}.`;
  return template.replaceAll(/%([1-9])/g, (_, digit: string) => {
    const place = Number(digit) - 1;
    const other = levels[place] ?? decimalLevel;
    const number = counts[place] ?? other.start;
    if (other.format === 'none') return '';
    return numberAs(own.isLegal ? 'decimal' : other.format, number);
  });
}
