import { createHash } from 'node:crypto';
import { toPage, type Page } from '../../kernel/page.ts';
import { searchTextOf } from '../../kernel/search-text.ts';
import type { Operator } from '../../operators/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { marketErrors } from './errors.ts';
import { countUses } from './queries.ts';
import type { MarketOperator, OperatorsQuery } from './schemas.ts';

export type Operators = {
  list(query: OperatorsQuery): Promise<Page<MarketOperator>>;
  /** Throws OPERATOR_NOT_FOUND. */
  get(id: string): Promise<MarketOperator>;
};

/** The operators that come with the service: all of them installed and approved. */
export function createOperators({ db, operators }: { db: Database; operators: readonly Operator[] }): Operators {
  return {
    async list(query) {
      const { page, size } = query;
      const found = operators.filter((operator) => isMatch(operator, query)).toSorted(orderOf(query.sort));
      const uses = await countUses(
        db.scan,
        found.map(({ id }) => id),
      );
      const content = found.slice(page * size, (page + 1) * size);
      return toPage(
        content.map((operator) => toMarketOperator(operator, uses.get(operator.id) ?? 0)),
        query,
        found.length,
      );
    },
    async get(id) {
      const operator = operators.find((candidate) => candidate.id === id);
      if (operator === undefined) throw marketErrors.OPERATOR_NOT_FOUND({ id });
      const uses = await countUses(db.scan, [id]);
      return toMarketOperator(operator, uses.get(id) ?? 0);
    },
  };
}

function isMatch(operator: Operator, query: OperatorsQuery): boolean {
  const { keyword, modality, kind, category, source, installed } = query;
  if (modality !== undefined && operator.modality !== modality) return false;
  if (kind !== undefined && operator.kind !== kind) return false;
  if (category !== undefined && !operator.categories.includes(category)) return false;
  if (source === 'PUBLISHED' || installed === false) return false;
  const text = searchTextOf(`${operator.id}\uFFFF${operator.name}\uFFFF${operator.description}`);
  return keyword === undefined || text.includes(searchTextOf(keyword));
}

function orderOf(sort: string | undefined): (a: Operator, b: Operator) => number {
  const [field, direction] = (sort ?? 'name,asc').split(',');
  const sign = direction === 'desc' ? -1 : 1;
  const key = (operator: Operator): string => (field === 'id' ? operator.id : searchTextOf(operator.name));
  return (a, b) => sign * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

function toMarketOperator(operator: Operator, usageCount: number): MarketOperator {
  const { id, name, version, description, modality, kind, categories, params, examples } = operator;
  return {
    id,
    name,
    version,
    description,
    author: 'Tilth',
    modality,
    kind,
    categories: [...categories],
    paramsSchema: { ...params },
    capabilities: [],
    source: 'BUILT_IN',
    status: 'APPROVED',
    installed: true,
    digest: createHash('sha256')
      .update(JSON.stringify([id, version, params]))
      .digest('hex'),
    readme: `# ${name}\n\n${description}\n`,
    examples: examples.map(({ title, params: given, input, output }) => {
      const dropped = typeof output === 'object' && 'drop' in output ? output.drop : null;
      const texts = typeof output === 'string' ? [output] : 'drop' in output ? [] : [...output];
      return { title, params: { ...given }, input, output: texts, dropped };
    }),
    usageCount,
    createdAt: null,
    createdBy: null,
  };
}
