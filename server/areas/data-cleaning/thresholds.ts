import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../kernel/errors.ts';
import type { Bound, RethresholdPlan, Step } from '../../engine/index.ts';
import { isSetOperator, type Operator } from '../../operators/index.ts';
import { cleaningErrors } from './errors.ts';
import type { NewStep } from './schemas.ts';
import { parseSteps } from './steps.ts';

/**
 * The bounds that new thresholds set. `given` are the run's steps with new thresholds; omitted parameters keep their values.
 * Throws INVALID_PARAMETER naming a parameter that may not differ, OPERATOR_CHANGED.
 */
export function planRethreshold(
  operators: readonly Operator[],
  steps: readonly Step[],
  given: readonly NewStep[],
): RethresholdPlan {
  if (given.length !== steps.length) throw invalid('steps', `must be the ${steps.length} steps of the run`);
  const used = steps.map((step, index) => operatorOf(operators, step, index));
  for (const [index, step] of steps.entries()) checkSame(step, given[index], `steps[${index}]`);
  const merged = steps.map(({ operatorId, version, params }, index) => {
    return { operatorId, version, params: { ...params, ...given[index]?.params } };
  });
  const changed = parseSteps(operators, merged);
  const bounds: Bound[] = [];
  let firstChanged: number | undefined;
  let splitter: number | undefined;
  for (const [index, operator] of used.entries()) {
    const before = steps[index]?.params ?? {};
    const after = changed[index]?.params ?? {};
    const isChanged = checkParams(operator, before, after, `steps[${index}].params`);
    if (isChanged && splitter !== undefined) {
      throw invalid(
        `steps[${index}]`,
        `must stay: it stands behind steps[${splitter}], whose parts have no scores of their own`,
      );
    }
    if (isChanged) firstChanged ??= index;
    if (operator.kind === 'SPLITTER') splitter ??= index;
    if (splitter === undefined) bounds.push(...boundsOf(operator, after, index));
  }
  const blindFrom =
    firstChanged === undefined
      ? -1
      : used.findIndex((operator, index) => index > firstChanged && isSetOperator(operator));
  if (blindFrom === -1) return { steps: steps.length, bounds, blindFrom: null };
  const behind = used.slice(blindFrom).filter(isSetOperator);
  const keepsFirstOfEqual = behind.length === 1 && behind.every((operator) => operator.keepsFirstOfEqual === true);
  return { steps: steps.length, bounds, blindFrom, keepsFirstOfEqual };
}

function operatorOf(operators: readonly Operator[], { operatorId, version }: Step, step: number): Operator {
  const operator = operators.find((one) => one.id === operatorId && one.version === version);
  if (operator === undefined) throw cleaningErrors.OPERATOR_CHANGED({ step: step + 1, operatorId, version });
  return operator;
}

function checkSame(step: Step, given: NewStep | undefined, field: string): void {
  if (given?.operatorId !== step.operatorId) {
    throw invalid(`${field}.operatorId`, `must be ${step.operatorId}, as in the run`);
  }
  if (given.version !== undefined && given.version !== step.version) {
    throw invalid(`${field}.version`, `must be ${step.version}, as in the run`);
  }
}

type Params = Readonly<Record<string, unknown>>;

/** Whether a threshold differs; throws INVALID_PARAMETER if any other parameter does. */
function checkParams({ thresholds = [] }: Operator, before: Params, after: Params, field: string): boolean {
  const differing = Object.keys(after).filter((param) => !isDeepStrictEqual(before[param], after[param]));
  const other = differing.find((param) => !thresholds.some((threshold) => threshold.param === param));
  if (other !== undefined) {
    const allowed = thresholds.map(({ param }) => param).join(', ');
    throw invalid(
      `${field}.${other}`,
      `must stay ${JSON.stringify(before[other])}: ${allowed === '' ? 'this step has no thresholds' : `only thresholds can change (${allowed})`}`,
    );
  }
  return differing.length > 0;
}

function boundsOf({ thresholds = [] }: Operator, params: Params, step: number): Bound[] {
  return thresholds.flatMap(({ param, direction }) => {
    const value = params[param];
    return typeof value === 'number' ? [{ step, direction, value }] : [];
  });
}
