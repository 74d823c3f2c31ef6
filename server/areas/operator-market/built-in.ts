import { createHash } from 'node:crypto';
import { asksModels, isSetOperator, type Operator } from '../../operators/index.ts';
import { coded } from '../../kernel/sentences/index.ts';
import { noRating } from './ratings.ts';
import { renderReadme } from './readme.ts';
import type { MarketOperator } from './schemas/operators.ts';

/** A built-in operator in the form of the market. */
export function toMarketOperator(operator: Operator, usageCount: number): MarketOperator {
  const { id, name, version, description, modality, kind, categories, params, thresholds } = operator;
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
    capabilities: asksModels(operator) ? ['models'] : [],
    source: 'BUILT_IN',
    status: 'APPROVED',
    installed: true,
    digest: createHash('sha256')
      .update(JSON.stringify([id, version, params]))
      .digest('hex'),
    wholeSet: isSetOperator(operator),
    readme: renderReadme(operator),
    examples: examplesOf(operator),
    setExamples: setExamplesOf(operator),
    licence: 'Apache-2.0',
    models: [],
    signature: null,
    icon: null,
    changes: null,
    metrics: null,
    rating: noRating,
    yourRating: null,
    latestVersion: version,
    usageCount,
    createdAt: null,
    createdBy: null,
  };
}

/** The examples of an operator, each with its output texts or the reason it is dropped. */
export function examplesOf({ examples }: Pick<Operator, 'examples'>): MarketOperator['examples'] {
  return examples.map(({ title, params, references = [], input, output }) => {
    const dropped = typeof output === 'object' && 'drop' in output ? output.drop : null;
    const texts = typeof output === 'string' ? [output] : 'drop' in output ? [] : [...output];
    return {
      title,
      params: { ...params },
      references: [...references],
      input,
      output: texts,
      ...coded('dropped', dropped),
    };
  });
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
