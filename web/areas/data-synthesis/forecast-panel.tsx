import { Group, SimpleGrid, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { SynthesisTask } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Count, Duration, useCost, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { forecastQuery } from './synthesis-queries.ts';
import { useChatModels } from './use-chat-models.ts';

/** What a run would need: calls, tokens, cost and time, before anything is paid for. */
export function ForecastPanel({ task }: { task: SynthesisTask }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const cost = useCost();
  const models = useChatModels();
  const forecast = useQuery(forecastQuery(task.id, task.updatedAt));
  if (forecast.isError) return <ErrorPanel error={forecast.error} onRetry={() => void forecast.refetch()} />;
  const { data } = forecast;
  const isFree = models.data?.find(({ id }) => id === task.model)?.builtIn === true;
  const about = data?.isExact === false ? '≈ ' : '';
  const figure = (label: string, value: ReactNode, help?: string): ReactNode => (
    <div title={help}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="lg" fw={600} component="div" className="figure">
        {data === undefined ? <Skeleton height={18} my={5} width={60} /> : value}
      </Text>
    </div>
  );
  return (
    <section className="panel" aria-label={t('synthesis.forecast.title')}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {t('synthesis.forecast.title')}
        </Title>
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 3, md: 6 }}>
        {figure(
          t('synthesis.usage.records'),
          <>
            {about}
            <Count value={data?.records ?? 0} />
          </>,
        )}
        {figure(t('synthesis.usage.calls'), <Count value={data?.calls ?? 0} />, t('synthesis.forecast.callsHelp'))}
        {figure(t('synthesis.usage.inputTokens'), <Count value={data?.inputTokens ?? 0} />)}
        {figure(t('synthesis.usage.outputTokens'), <Count value={data?.outputTokens ?? 0} />)}
        {figure(
          t('synthesis.usage.cost'),
          data?.cost === null || data?.cost === undefined
            ? t(isFree ? 'synthesis.forecast.free' : 'synthesis.forecast.noCost')
            : cost(data.cost),
        )}
        {figure(
          t('synthesis.usage.time'),
          data?.seconds === null || data?.seconds === undefined ? (
            t('synthesis.forecast.noTime')
          ) : (
            <Duration ms={data.seconds * 1000} />
          ),
        )}
      </SimpleGrid>
      {data !== undefined && (
        <Text size="xs" c={data.samples === 0 ? 'orange' : 'dimmed'} mt="xs">
          {data.samples === 0
            ? t('synthesis.forecast.nothing')
            : [
                t('synthesis.forecast.samples', { count: data.samples, samples: formatCount(data.samples, locale) }),
                t(data.isExact ? 'synthesis.forecast.exact' : 'synthesis.forecast.estimated'),
                t(`synthesis.forecast.basis.${data.basis}`),
              ].join(' ')}
        </Text>
      )}
    </section>
  );
}
