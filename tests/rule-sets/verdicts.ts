import { builtInTemplates } from '../../server/areas/data-cleaning/built-in-templates.ts';
import { isSampleOperator, operators, parseParams } from '../../server/operators/index.ts';

/** The templates that datatrove also has, with their names in `peer.py`. */
export const comparedSets: Readonly<Record<string, string>> = {
  'gopher-quality': 'gopher-quality',
  'gopher-repetition': 'gopher-repetition',
  c4: 'c4-english',
  fineweb: 'fineweb',
};

/** Returns the id of the operator that drops a text, or null. */
export type Judge = (text: string) => string | null;

/** Judges texts by a template, without its language filter, for which datatrove needs a model. */
export function judgeBy(templateId: string): Judge {
  const template = builtInTemplates.find(({ id }) => id === templateId);
  if (template === undefined) throw new Error(`There is no template ${templateId}`);
  const steps = template.steps.flatMap(({ operatorId, params }) => {
    if (operatorId === 'language-filter') return [];
    const operator = operators.find(({ id }) => id === operatorId);
    if (operator === undefined || !isSampleOperator(operator)) throw new Error(`There is no step ${operatorId}`);
    const parsed = parseParams(operator, params);
    if (!parsed.ok) throw new Error(`${operatorId}: ${parsed.field} ${parsed.problem.text}`);
    return [{ operatorId, each: operator.each(parsed.params) }];
  });
  return (given) => {
    let text = given;
    for (const { operatorId, each } of steps) {
      const outcome = each({ text });
      if ('verdict' in outcome && outcome.verdict === 'drop') return operatorId;
      const next = 'verdict' in outcome ? outcome.sample : outcome;
      if ('text' in next && typeof next.text === 'string') text = next.text;
    }
    return null;
  };
}
