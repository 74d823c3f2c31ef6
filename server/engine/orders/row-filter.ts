import { inputProblems, type Reason } from '../../kernel/sentences/index.ts';
import { compileConditions, needsNumbers } from '../../tables/conditions.ts';
import type { Recipe } from './shard.ts';

type Values = Readonly<Record<string, unknown>>;

/** Access to the column values of a reader's parts. */
type Reader<P> = { values(part: P): Values; comparedValues(part: P): Values; hasCells: boolean };

export type RowFilter = {
  /** Why a row is not part of the input; undefined if it is. */
  whyNot<P>(reader: Reader<P>, part: P): Reason | undefined;
  /** The same for a document, which has no columns. */
  whyNotDocument(): Reason | undefined;
};

const unwanted = inputProblems.WHERE.reason({});

/** Undefined for a recipe without conditions. */
export function createRowFilter({ where = [] }: Pick<Recipe, 'where'>): RowFilter | undefined {
  if (where.length === 0) return undefined;
  const [holds, holdsOfCells] = [compileConditions(where), compileConditions(where, true)];
  const isExact = needsNumbers(where);
  return {
    whyNot(reader, part) {
      const row = isExact ? reader.comparedValues(part) : reader.values(part);
      return (reader.hasCells ? holdsOfCells : holds)(row) ? undefined : unwanted;
    },
    whyNotDocument: () => (holds({}) ? undefined : unwanted),
  };
}

/** Whether the conditions skip documents, which have no columns and are checked as an empty row. */
export function isDocumentSkipped(recipe: Pick<Recipe, 'where'>): boolean {
  return createRowFilter(recipe)?.whyNotDocument() !== undefined;
}
