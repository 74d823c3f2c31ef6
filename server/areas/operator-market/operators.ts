import { createHash } from 'node:crypto';
import { toPage, type Page } from '../../kernel/page.ts';
import { searchTextOf } from '../../kernel/search-text.ts';
import { isSetOperator, type Operator } from '../../operators/index.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import { coded } from '../../kernel/sentences.ts';
import { marketErrors } from './errors.ts';
import { renderReadme } from './readme.ts';
import type { MarketOperator, OperatorsQuery } from './schemas.ts';

export type Operators = {
  list(query: OperatorsQuery): Promise<Page<MarketOperator>>;
  /** Throws OPERATOR_NOT_FOUND. */
  get(id: string): Promise<MarketOperator>;
};

/** The operators that come with the service, all installed and approved. */
export function createOperators({
  tasks,
  operators,
}: {
  tasks: Pick<TaskFloor, 'countUses'>;
  operators: readonly Operator[];
}): Operators {
  return {
    async list(query) {
      const { page, size } = query;
      const found = operators.filter((operator) => isMatch(operator, query)).toSorted(orderOf(query.sort));
      const content = found.slice(page * size, (page + 1) * size);
      const uses = await tasks.countUses(
        'OPERATOR',
        content.map(({ id }) => id),
      );
      return toPage(
        content.map((operator) => toMarketOperator(operator, uses.get(operator.id) ?? 0)),
        query,
        found.length,
      );
    },
    async get(id) {
      const operator = operators.find((candidate) => candidate.id === id);
      if (operator === undefined) throw marketErrors.OPERATOR_NOT_FOUND({ id });
      const uses = await tasks.countUses('OPERATOR', [id]);
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
  const { id, name, version, description, modality, kind, categories, params, examples, thresholds } = operator;
  const { reads, writes } = operator;
  return {
    id,
    name,
    version,
    description,
    author: 'Tilth',
    modality,
    kind,
    categories: [...categories],
    reads: [...reads],
    writes: [...writes],
    paramsSchema: { ...params },
    thresholds: (thresholds ?? []).map(({ param, direction }) => ({ param, direction })),
    capabilities: [],
    source: 'BUILT_IN',
    status: 'APPROVED',
    installed: true,
    digest: createHash('sha256')
      .update(JSON.stringify([id, version, params]))
      .digest('hex'),
    wholeSet: isSetOperator(operator),
    readme: renderReadme(operator),
    examples: examples.map(({ title, params: given, input, output }) => {
      const dropped = typeof output === 'object' && 'drop' in output ? output.drop : null;
      const texts = typeof output === 'string' ? [output] : 'drop' in output ? [] : [...output];
      return { title, params: { ...given }, input, output: texts, ...coded('dropped', dropped) };
    }),
    setExamples: setExamplesOf(operator),
    usageCount,
    createdAt: null,
    createdBy: null,
  };
}

function setExamplesOf(operator: Operator): MarketOperator['setExamples'] {
  if (!isSetOperator(operator)) return [];
  return operator.setExamples.map(({ title, params, inputs, outputs }) => ({
    title,
    params: { ...params },
    inputs: [...inputs],
    outputs: outputs.map((output) =>
      typeof output === 'string' ? { text: output, dropped: null } : { text: null, dropped: output.drop },
    ),
  }));
}
