import { compileConditions, needsDigits } from '../../tables/conditions.ts';
import type { Recipe } from '../shards/shard.ts';

type Values = Readonly<Record<string, unknown>>;

/** How a reader gives the values of its parts; exact ones keep all digits of numbers. */
type Reader<P> = { values(part: P): Values; exactValues(part: P): Values };

export type RowFilter = {
  /** Why a row is not part of the input; undefined if it is. */
  whyNot<P>(reader: Reader<P>, part: P): string | undefined;
  /** The same for what has no columns. */
  whyNotDocument(): string | undefined;
};

/** Undefined for a recipe without conditions. */
export function createRowFilter({ where = [] }: Pick<Recipe, 'where'>): RowFilter | undefined {
  if (where.length === 0) return undefined;
  const holds = compileConditions(where);
  const isExact = needsDigits(where);
  const whyNot = (row: Values): string | undefined => (holds(row) ? undefined : 'WHERE');
  return {
    whyNot: (reader, part) => whyNot(isExact ? reader.exactValues(part) : reader.values(part)),
    whyNotDocument: () => whyNot({}),
  };
}

/** Whether conditions on rows leave documents out: they have no columns, so that the conditions are checked against an empty row. */
export function isDocumentSkipped(recipe: Pick<Recipe, 'where'>): boolean {
  return createRowFilter(recipe)?.whyNotDocument() !== undefined;
}
