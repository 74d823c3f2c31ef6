import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount, formatShare } from '../../../ui/format.ts';
import type { ColumnStatistics } from './column-statistics.ts';

const height = 22;

/** A column's name and type, its share of empty cells, and the distribution of its values or text lengths. */
export function ColumnHeader({ name, statistics }: { name: string; statistics: ColumnStatistics }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { type, emptyShare, histogram } = statistics;
  const most = Math.max(1, ...(histogram?.counts ?? []));
  const range =
    histogram === undefined
      ? ''
      : t(`data.${type === 'number' ? 'values' : 'lengths'}${histogram.from === histogram.to ? 'Same' : ''}`, {
          count: histogram.to,
          from: formatCount(histogram.from, locale),
          to: formatCount(histogram.to, locale),
        });
  return (
    <div className="column-header">
      <Text size="sm" fw={600} truncate title={name}>
        {name}
      </Text>
      <Text size="xs" c="dimmed" fw={400} className="figure">
        {t(`data.types.${type}`)}
        {emptyShare > 0 && ` · ${t('data.empty', { share: formatShare(emptyShare, locale) })}`}
      </Text>
      {histogram === undefined ? (
        <div style={{ height }} />
      ) : (
        <svg
          className="column-histogram"
          viewBox={`0 0 ${histogram.counts.length} ${height}`}
          height={height}
          preserveAspectRatio="none"
          role="img"
          aria-label={range}
        >
          <title>{range}</title>
          {histogram.counts.map((count, index) => {
            const tall = count === 0 ? 0 : Math.max(2, (height * count) / most);
            return <rect key={index} x={index + 0.08} y={height - tall} width={0.84} height={tall} />;
          })}
        </svg>
      )}
      <Text size="xs" c="dimmed" fw={400} truncate className="figure">
        {range}
      </Text>
    </div>
  );
}
