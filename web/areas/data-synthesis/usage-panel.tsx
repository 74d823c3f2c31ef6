import { Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useCost, useLocale } from '../../ui/figures.tsx';
import { formatCount, formatDuration, formatShare } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { busyMs, usageQuery } from './synthesis-queries.ts';

const rows = ['calls', 'inputTokens', 'outputTokens', 'cost', 'seconds'] as const;

/** What a run used compared to the forecast: a bar per figure, with a mark at the forecast. */
export function UsagePanel({ taskId, runId, isGoing }: { taskId: string; runId: string; isGoing: boolean }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const cost = useCost();
  const usage = useQuery({ ...usageQuery(taskId, runId), refetchInterval: isGoing ? busyMs : false });
  if (usage.isError) return <ErrorPanel error={usage.error} onRetry={() => void usage.refetch()} />;
  if (usage.data === undefined) return <Skeleton height={220} />;
  const { actual, forecast, error } = usage.data;
  const write = (name: (typeof rows)[number], value: number | null | undefined): string =>
    value === null || value === undefined
      ? '–'
      : name === 'cost'
        ? cost(value)
        : name === 'seconds'
          ? formatDuration(value * 1000, locale)
          : formatCount(value, locale);
  return (
    <Panel title={t('synthesis.usage.title')}>
      <div className="table-scroll" tabIndex={0} role="group" aria-label={t('synthesis.usage.title')}>
        <Table verticalSpacing={4} className="usage-table">
          <Table.Thead>
            <Table.Tr>
              <Table.Th />
              <Table.Th ta="right">{t('synthesis.usage.used')}</Table.Th>
              <Table.Th ta="right">{t('synthesis.usage.expected')}</Table.Th>
              <Table.Th ta="right">{t('synthesis.usage.off')}</Table.Th>
              <Table.Th visibleFrom="sm" w="34%" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((name) => {
              const expected = forecast?.[name];
              const off = error[name];
              return (
                <Table.Tr key={name}>
                  <Table.Th scope="row" fw={400}>
                    {t(`synthesis.usage.${name === 'seconds' ? 'time' : name}`)}
                  </Table.Th>
                  <Table.Td ta="right" className="figure">
                    {write(name, actual[name])}
                  </Table.Td>
                  <Table.Td ta="right" className="figure">
                    {write(name, expected)}
                  </Table.Td>
                  <Table.Td ta="right" className="figure">
                    {off === null || isGoing ? '–' : `${off > 0 ? '+' : ''}${formatShare(off, locale)}`}
                  </Table.Td>
                  <Table.Td visibleFrom="sm">
                    <Beside value={actual[name]} expected={expected ?? null} />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        {[
          ...(forecast === null ? [t('synthesis.usage.noForecast')] : [t('synthesis.usage.mark')]),
          ...(actual.known > 0
            ? [t('synthesis.usage.known', { count: actual.known, records: formatCount(actual.known, locale) })]
            : []),
          t('synthesis.usage.attempts'),
        ].join(' ')}
      </Text>
    </Panel>
  );
}

/** A figure as a bar, with a mark at the forecast; the table gives both as numbers. */
function Beside({ value, expected }: { value: number; expected: number | null }) {
  const most = Math.max(value, expected ?? 0) * 1.05;
  if (most === 0) return null;
  return (
    <div className="usage-bar" aria-hidden>
      <div className="usage-value" style={{ width: `${(100 * value) / most}%` }} />
      {expected !== null && <div className="usage-mark" style={{ left: `${(100 * expected) / most}%` }} />}
    </div>
  );
}
