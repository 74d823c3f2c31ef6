import { useQueries } from '@tanstack/react-query';
import type { Operator } from '../../../api/schema.ts';
import { operatorVersionQuery } from '../cleaning-queries.ts';
import { operatorOf, type DraftStep } from '../drafts/draft.ts';

/** The operators, followed by the versions of published operators that steps name but that are not installed. */
export function useStepOperators(
  operators: readonly Operator[],
  steps: readonly Pick<DraftStep, 'operatorId' | 'version'>[],
): readonly Operator[] {
  const named = new Map(
    steps.flatMap(({ operatorId, version }) =>
      version === undefined || operatorOf({ operatorId, version }, operators) !== undefined
        ? []
        : [[`${operatorId} ${version}`, { operatorId, version }] as const],
    ),
  );
  return useQueries({
    queries: [...named.values()].map(({ operatorId, version }) => operatorVersionQuery(operatorId, version)),
    combine: (answers) => {
      const others = answers.flatMap(({ data }) => (data === undefined ? [] : [data]));
      return others.length === 0 ? operators : [...operators, ...others];
    },
  });
}
