import { compileConditions } from '../../tables/conditions.ts';
import type { Recipe } from '../shards/shard.ts';

/** Returns why a row is not part of the input; undefined if it is. */
export type RowFilter = (row: Readonly<Record<string, unknown>>) => string | undefined;

/** Undefined for a recipe without conditions. */
export function createRowFilter({ where = [] }: Pick<Recipe, 'where'>): RowFilter | undefined {
  if (where.length === 0) return undefined;
  const holds = compileConditions(where);
  return (row) => (holds(row) ? undefined : 'WHERE');
}

/** Whether conditions on rows leave documents out: they have no columns, so that the conditions are checked against an empty row. */
export function isDocumentSkipped(recipe: Pick<Recipe, 'where'>): boolean {
  return createRowFilter(recipe)?.({}) !== undefined;
}
