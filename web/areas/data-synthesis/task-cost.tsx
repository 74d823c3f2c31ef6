import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { SynthesisTask } from '../../api/schema.ts';
import { Count, useCost } from '../../ui/figures.tsx';
import { usageQuery } from './synthesis-queries.ts';

const busyMs = 5_000;

/** The cost of a task's latest run, including the runs it resumed. */
export function TaskCost({ task: { id, lastRunId, status } }: { task: SynthesisTask }) {
  const { t } = useTranslation();
  const cost = useCost();
  const usage = useQuery({
    ...usageQuery(id, lastRunId ?? ''),
    enabled: lastRunId !== null,
    refetchInterval: status === 'RUNNING' ? busyMs : false,
  });
  if (lastRunId === null || usage.isError) return '–';
  if (usage.data === undefined) return <Skeleton height={12} my={4} width={48} />;
  const { actual } = usage.data;
  return (
    <>
      <span className="figure">{cost(actual.cost)}</span>
      <Text size="xs" c="dimmed" className="figure">
        <Count value={actual.calls} /> {t('synthesis.usage.callsOf', { count: actual.calls })}
      </Text>
    </>
  );
}
