import type { Operator } from '../../api/schema.ts';

/** What operators do to data, in the order of the page. */
export const operatorGroups = [
  'extraction',
  'normalization',
  'cleaning',
  'privacy',
  'filter',
  'deduplication',
  'selection',
  'splitting',
  'fields',
  'images',
  'models',
] as const;
export type OperatorGroup = (typeof operatorGroups)[number];

/** The group that an operator is shown in. */
export function groupOf({ kind, categories }: Pick<Operator, 'kind' | 'categories'>): OperatorGroup {
  if (categories.includes('images')) return 'images';
  if (categories.includes('model')) return 'models';
  if (kind === 'DEDUPLICATOR') return 'deduplication';
  if (kind === 'SELECTOR') return 'selection';
  if (kind === 'SPLITTER') return 'splitting';
  const named = (['fields', 'privacy', 'extraction', 'normalization'] as const).find((one) => categories.includes(one));
  if (named !== undefined) return named;
  return kind === 'MAPPER' ? 'cleaning' : 'filter';
}
