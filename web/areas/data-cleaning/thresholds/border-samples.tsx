import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../../ui/figures.tsx';
import { VerdictBadge } from '../../../runs/verdict-badge.tsx';
import type { ScoredSample } from '../cleaning-queries.ts';
import { roundScore } from '../sample-journey.tsx';

const borderSamples = 20;

/** The samples with scores nearest to a threshold, each with a link to its steps. */
export function BorderSamples(props: {
  taskId: string;
  runId: string;
  samples: readonly ScoredSample[];
  bound: number;
  direction: 'min' | 'max';
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { taskId, runId, samples, bound, direction } = props;
  const nearest = useMemo(
    () =>
      samples
        .toSorted((one, other) => Math.abs(one.score - bound) - Math.abs(other.score - bound))
        .slice(0, borderSamples)
        .toSorted((one, other) => one.score - other.score),
    [samples, bound],
  );
  if (nearest.length === 0) return null;
  return (
    <details className="border-samples">
      <summary>{t('cleaning.thresholds.border', { count: nearest.length })}</summary>
      <ul>
        {nearest.map(({ sampleId, place, score }) => {
          const passes = direction === 'min' ? score >= bound : score <= bound;
          return (
            <li key={sampleId}>
              <VerdictBadge verdict={passes ? 'KEPT' : 'DROPPED'} />
              <Text span size="sm" className="figure">
                {roundScore(score, locale)}
              </Text>
              <Anchor
                component={Link}
                to={`/cleaning/${taskId}/runs/${runId}/samples`}
                search={{ sample: sampleId } as never}
                size="sm"
                className="wraps"
              >
                {place}
              </Anchor>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
