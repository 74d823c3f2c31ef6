import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { Bound, RethresholdPlan, Step } from '../../engine/index.ts';
import { isSetOperator, withLists, type Operator } from '../../operators/index.ts';
import { cleaningErrors } from './errors.ts';
import type { NewStep } from './schemas/tasks.ts';
import { parseSteps } from './steps.ts';

/**
 * Plans the evaluation of new thresholds. `given` are the run's steps with new thresholds; omitted parameters keep
 * their values. Throws OPERATOR_CHANGED, and INVALID_PARAMETER naming a parameter that may not differ.
 */
export function planRethreshold(
  operators: readonly Operator[],
  steps: readonly Step[],
  given: readonly NewStep[],
): RethresholdPlan {
  if (given.length !== steps.length)
    throw invalid('steps', parameterProblems.MUST_BE_STEPS_OF_RUN.reason({ count: steps.length }));
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
    const before = withLists(operator.params, steps[index]?.params ?? {});
    const after = changed[index]?.params ?? {};
    const isChanged = checkParams(operator, before, after, `steps[${index}].params`);
    if (isChanged && splitter !== undefined) {
      throw invalid(`steps[${index}]`, parameterProblems.MUST_STAY_BEHIND_SPLITTER.reason({ splitter }));
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
    throw invalid(`${field}.operatorId`, parameterProblems.MUST_BE_AS_IN_RUN.reason({ value: step.operatorId }));
  }
  if (given.version !== undefined && given.version !== step.version) {
    throw invalid(`${field}.version`, parameterProblems.MUST_BE_AS_IN_RUN.reason({ value: step.version }));
  }
}

type Params = Readonly<Record<string, unknown>>;

/** Whether a threshold differs; throws INVALID_PARAMETER if any other parameter does. */
function checkParams({ thresholds = [] }: Operator, before: Params, after: Params, field: string): boolean {
  const differing = Object.keys(after).filter((param) => !isDeepStrictEqual(before[param], after[param]));
  const other = differing.find((param) => !thresholds.some((threshold) => threshold.param === param));
  if (other !== undefined) {
    const allowed = thresholds.map(({ param }) => param).join(', ');
    const value = JSON.stringify(before[other]);
    const problem =
      allowed === ''
        ? parameterProblems.MUST_STAY.reason({ value })
        : parameterProblems.MUST_STAY_BUT_THRESHOLDS.reason({ value, allowed });
    throw invalid(`${field}.${other}`, problem);
  }
  return differing.length > 0;
}

function boundsOf({ thresholds = [] }: Operator, params: Params, step: number): Bound[] {
  return thresholds.flatMap(({ param, direction }) => {
    const value = params[param];
    return typeof value === 'number' ? [{ step, direction, value }] : [];
  });
}
