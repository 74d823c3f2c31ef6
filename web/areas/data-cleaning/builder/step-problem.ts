import { ApiError } from '../../../api/errors.ts';
import type { Operator } from '../../../api/schema.ts';
import { saySentence } from '../../../messages/sentences.ts';
import { fieldsOf } from '../../../ui/schema-fields.ts';
import { operatorOf, type DraftStep } from '../drafts/draft.ts';

/** What the service says about a parameter; the step is given by its index in the list that was sent. */
export type ParameterProblem = { step: number; field: string | undefined; problem: string };

/** `steps[2].params.min must be at least 1` → step 2, field `min`, `must be at least 1`; undefined for other refusals. */
export function parameterProblemOf(refusal: string): ParameterProblem | undefined {
  const found = /^(?:These steps cannot be previewed: )?steps\[(\d+)\](?:\.params\.([^\s.[]+)\S*|\.\S+)? (.+)$/s.exec(
    refusal,
  );
  const [, step, field, problem] = found ?? [];
  return step === undefined || problem === undefined ? undefined : { step: Number(step), field, problem };
}

/** A problem as a key of `common.form.problem` and its values; undefined if it is of another kind. */
export function problemWords(
  problem: string,
): { key: 'required' | 'min' | 'max' | 'notAbove'; limit: string } | undefined {
  if (problem === 'is required') return { key: 'required', limit: '' };
  const bound = /^must be at (least|most) (\S+)$/.exec(problem);
  if (bound !== null) return { key: bound[1] === 'least' ? 'min' : 'max', limit: bound[2] ?? '' };
  const other = /^must not be greater than (\w+)\b/.exec(problem)?.[1];
  return other === undefined ? undefined : { key: 'notAbove', limit: other };
}

/** A refused parameter, located on the page. */
export type StepProblem = {
  key: string;
  /** The step's number on the page, from 1, and its operator's name. */
  number: number;
  name: string;
  field: string | undefined;
  fieldLabel: string | undefined;
  /** What is wrong, in words. */
  text: string;
};

/** Texts in the page's language. */
export type ProblemTexts = {
  /** Words a common problem. */
  known(problem: NonNullable<ReturnType<typeof problemWords>>): string;
  /** Any other problem, as the service words it. */
  other(problem: string): string;
};

/** Finds the step and field that a refusal names in the draft; `keys` are the steps that were sent. */
export function locateProblem(
  refusal: { message: string; keys: readonly string[] },
  steps: readonly DraftStep[],
  operators: readonly Operator[],
  texts: ProblemTexts,
): StepProblem | undefined {
  const found = parameterProblemOf(refusal.message);
  const key = refusal.keys[found?.step ?? -1];
  const at = steps.findIndex((step) => step.key === key);
  const step = steps[at];
  if (found === undefined || step === undefined) return undefined;
  const operator = operatorOf(step, operators);
  const fields = fieldsOf(operator?.paramsSchema);
  const labelOf = (name: string): string => fields.find((field) => field.name === name)?.label ?? name;
  const known = problemWords(found.problem);
  return {
    key: step.key,
    number: at + 1,
    name: operator?.name ?? step.operatorId,
    field: found.field,
    fieldLabel: found.field === undefined ? undefined : labelOf(found.field),
    text:
      known === undefined
        ? texts.other(found.problem)
        : texts.known(known.key === 'notAbove' ? { ...known, limit: labelOf(known.limit) } : known),
  };
}

/** What is wrong with a parameter in the user's language; `problem` if the error has no sentence for it. */
export function sayProblem(error: unknown, problem: string, language: string): string {
  const params = error instanceof ApiError ? (error.sentence?.params as { problem?: unknown } | undefined) : undefined;
  const sentence = params?.problem as { code?: unknown; params?: unknown } | undefined;
  if (typeof sentence?.code !== 'string') return problem;
  return saySentence({ code: sentence.code, params: sentence.params }, problem, language);
}

/** The message as the service wrote it, regardless of the user's language. */
export function originalOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
