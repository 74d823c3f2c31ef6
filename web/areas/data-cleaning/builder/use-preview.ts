import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { CleaningPreview, CleaningPreviewRequest, Operator } from '../../../api/schema.ts';
import { asksModels, fieldsOf } from '../../../ui/schema-fields.ts';
import { previewQuery } from '../cleaning-queries.ts';
import { isStepComplete, sourceToSend, stepsToSend, type Draft } from '../drafts/draft.ts';

const quietMs = 350;
/** The service's limit on previewed samples if steps call models. */
const mostAsked = 20;

/** Which samples are previewed: the first ones, or some drawn at random. */
export type Sampling = { limit: number; seed: number | undefined };

/** What a step did to the samples of the preview. */
export type StepCounts = CleaningPreview['steps'][number];

type Wanted = {
  request: CleaningPreviewRequest;
  /** Keys of the steps in the request; incomplete steps are left out. */
  keys: readonly string[];
  asksModels: boolean;
};

export type LivePreview = {
  /** Undefined while there is nothing to preview. */
  wanted: Wanted | undefined;
  query: UseQueryResult<CleaningPreview>;
  /** Makes the request. Set only if it calls models, which may cost money, and has not been made yet. */
  ask: (() => void) | undefined;
  /** What each step did in the latest response, by the step's key. */
  counts: ReadonlyMap<string, StepCounts>;
};

/** The preview of a draft, updated after each change; `isBlocked` while the source still needs a choice. */
export function usePreview(
  draft: Draft,
  operators: readonly Operator[],
  { sampling, isBlocked }: { sampling: Sampling; isBlocked: boolean },
): LivePreview {
  const next = useMemo(
    () => (isBlocked ? undefined : wantedOf(draft, operators, sampling)),
    [draft, operators, sampling, isBlocked],
  );
  const [debounced] = useDebouncedValue(next, quietMs);
  // A blocked preview requests nothing, not even what was wanted just before.
  const wanted = isBlocked ? undefined : debounced;
  const [asked, setAsked] = useState<string>();
  const key = JSON.stringify(wanted?.request);
  const mustAsk = wanted !== undefined && wanted.asksModels && key !== asked;
  const query = useQuery(previewQuery(mustAsk ? undefined : wanted?.request));
  const [answered, setAnswered] = useState<{ keys: readonly string[]; steps: readonly StepCounts[] }>();
  const { data, isPlaceholderData } = query;
  const keys = wanted?.keys;
  useEffect(() => {
    if (data !== undefined && keys !== undefined && !isPlaceholderData) setAnswered({ keys, steps: data.steps });
  }, [data, keys, isPlaceholderData]);
  const counts = useMemo(() => {
    const found = new Map<string, StepCounts>();
    for (const [index, step] of (answered?.steps ?? []).entries()) {
      const key = answered?.keys[index];
      if (key !== undefined) found.set(key, step);
    }
    return found;
  }, [answered]);
  return { wanted, query, counts, ask: mustAsk ? () => setAsked(key) : undefined };
}

/** The request for a preview, with complete steps only, so that a half-typed number does not clear it. */
function wantedOf(draft: Draft, operators: readonly Operator[], { limit, seed }: Sampling): Wanted | undefined {
  const steps = draft.steps.filter((step) => isStepComplete(step, operators));
  if (draft.sourceDatasetId === '' || steps.length === 0) return undefined;
  const asks = steps.some(({ operatorId }) =>
    asksModels(fieldsOf(operators.find(({ id }) => id === operatorId)?.paramsSchema)),
  );
  return {
    request: {
      ...sourceToSend(draft),
      steps: stepsToSend({ steps }),
      limit: asks ? Math.min(limit, mostAsked) : limit,
      ...(seed === undefined ? {} : { sample: { seed } }),
    },
    keys: steps.map(({ key }) => key),
    asksModels: asks,
  };
}
