import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { Step } from '../../engine/index.ts';
import { parseParams, type Operator } from '../../operators/index.ts';
import type { NewStep } from './schemas/tasks.ts';

/**
 * Resolves the steps of a recipe: operator versions and all parameters. Throws INVALID_PARAMETER naming step and field.
 */
export function parseSteps(operators: readonly Operator[], steps: readonly NewStep[]): Step[] {
  return steps.map((step, index) => parseStep(operators, step, `steps[${index}]`));
}

/** The given steps, or those of the template. Throws INVALID_PARAMETER, TEMPLATE_NOT_FOUND. */
export async function chooseSteps(
  templates: { get(id: string): Promise<{ steps: readonly NewStep[] }> },
  { steps, templateId }: { steps?: readonly NewStep[]; templateId?: string },
): Promise<readonly NewStep[]> {
  if (steps !== undefined && templateId !== undefined) {
    throw invalid('templateId', parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'steps' }));
  }
  if (steps !== undefined) return steps;
  if (templateId === undefined)
    throw invalid('steps', parameterProblems.IS_REQUIRED_OR.reason({ other: 'templateId' }));
  return (await templates.get(templateId)).steps;
}

function parseStep(operators: readonly Operator[], { operatorId, version, params }: NewStep, field: string): Step {
  const versions = operators.filter(({ id }) => id === operatorId);
  const [installed] = versions;
  if (installed === undefined) {
    throw invalid(
      `${field}.operatorId`,
      parameterProblems.NAMES_NO_OPERATOR.reason({ id: JSON.stringify(operatorId) }),
    );
  }
  const operator = version === undefined ? installed : versions.find((one) => one.version === version);
  if (operator === undefined) {
    throw invalid(
      `${field}.version`,
      parameterProblems.MUST_BE_INSTALLED_VERSION.reason({ version: installed.version, operator: operatorId }),
    );
  }
  const parsed = parseParams(operator, params);
  if (!parsed.ok) {
    throw invalid(`${field}.params${parsed.field === '' ? '' : `.${parsed.field}`}`, parsed.problem);
  }
  const { id, digest } = operator;
  return {
    operatorId: id,
    version: operator.version,
    params: parsed.params,
    ...(digest === undefined ? {} : { digest }),
  };
}
