import { Group, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ContentDistribution } from '../../../api/schema.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';

const height = 48;

/** The histogram of a distribution with its lowest, middle and highest value, in the style of column heads. */
export function DistributionChart({ label, distribution }: { label: string; distribution: ContentDistribution }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { histogram, quantiles, mean } = distribution;
  if (quantiles === null || mean === null) return null;
  const most = Math.max(1, ...histogram.map(({ count }) => count));
  const figure = (value: number): string => formatCount(Math.round(value), locale);
  const name = t('viewer.statistics.histogram', { label, from: figure(quantiles.p0), to: figure(quantiles.p100) });
  return (
    <section className="panel" aria-label={label}>
      <Title order={3} size="h6">
        {label}
      </Title>
      <svg
        className="statistics-histogram"
        viewBox={`0 0 ${Math.max(1, histogram.length)} ${height}`}
        height={height}
        preserveAspectRatio="none"
        role="img"
        aria-label={name}
      >
        {histogram.map(({ from, to, count }, index) => {
          const tall = count === 0 ? 0 : Math.max(1, (height * count) / most);
          return (
            <rect key={index} x={index + 0.08} y={height - tall} width={0.84} height={tall}>
              <title>{t('viewer.statistics.bin', { from: figure(from), to: figure(to), shown: figure(count) })}</title>
            </rect>
          );
        })}
      </svg>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed" className="figure">
          {figure(quantiles.p0)}
        </Text>
        <Text size="xs" c="dimmed" className="figure">
          {t('viewer.statistics.middle', { median: figure(quantiles.p50), mean: figure(mean) })}
        </Text>
        <Text size="xs" c="dimmed" className="figure">
          {figure(quantiles.p100)}
        </Text>
      </Group>
    </section>
  );
}
