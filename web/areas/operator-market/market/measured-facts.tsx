import { Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconBolt, IconCpu, IconEqual } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { OperatorMetrics } from '../../../api/schema.ts';
import { Bytes, useLocale } from '../../../ui/figures.tsx';
import { formatBytes, formatCount } from '../../../ui/format.ts';

/** Speed, memory and determinism in one line. */
export function FactsShort({ metrics }: { metrics: NonNullable<OperatorMetrics> }) {
  const { t } = useTranslation();
  const locale = useLocale();
  return (
    <Text span size="xs" c="dimmed" className="figure">
      {t('market.facts.short', {
        speed: formatCount(metrics.samplesPerSecond, locale),
        memory: formatBytes(metrics.peakMemoryBytes, locale),
      })}
      {' · '}
      {t(metrics.deterministic ? 'market.facts.deterministic' : 'market.facts.varies')}
    </Text>
  );
}

/** The market's measurements, each with its meaning. */
export function MeasuredFacts({ metrics }: { metrics: NonNullable<OperatorMetrics> }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { samplesPerSecond, peakMemoryBytes, deterministic, lane } = metrics;
  const million = 1_000_000 / Math.max(1, samplesPerSecond);
  const minutes = formatCount(Math.max(1, Math.round(million / 60)), locale);
  return (
    <section className="panel" aria-label={t('market.facts.title')}>
      <Title order={2} size="h5" mb={2}>
        {t('market.facts.title')}
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        {t('market.facts.lead')}
      </Text>
      <Stack gap="sm">
        <Fact
          icon={<IconBolt size={18} />}
          figure={t('market.facts.speed', { speed: formatCount(samplesPerSecond, locale) })}
        >
          {t('market.facts.speedMeans', { minutes, lane: t(`market.facts.lanes.${lane}`) })}
        </Fact>
        <Fact icon={<IconCpu size={18} />} figure={<Bytes value={peakMemoryBytes} />}>
          {t('market.facts.memoryMeans')}
        </Fact>
        <Fact
          icon={deterministic ? <IconEqual size={18} /> : <IconAlertTriangle size={18} />}
          figure={t(deterministic ? 'market.facts.deterministic' : 'market.facts.varies')}
        >
          {t(deterministic ? 'market.facts.deterministicMeans' : 'market.facts.variesMeans')}
        </Fact>
      </Stack>
    </section>
  );
}

function Fact({ icon, figure, children }: { icon: ReactNode; figure: ReactNode; children: ReactNode }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <span aria-hidden className="dimmed-icon">
        {icon}
      </span>
      <div>
        <Text size="sm" fw={600} component="div">
          {figure}
        </Text>
        <Text size="xs" c="dimmed">
          {children}
        </Text>
      </div>
    </Group>
  );
}
