import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { SynthesisLengthBar } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount, formatShare } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { diversityQuery } from './synthesis-queries.ts';

/** How diverse and how long the records are, and how much of the source they cover. */
export function DiversityPanel({ taskId, runId }: { taskId: string; runId: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const query = useQuery(diversityQuery(taskId, runId));
  if (query.isError) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton height={260} />;
  const { records, measured, distinct, nearDuplicates, lengths, coverage, samples, samplesWithRecords } = query.data;
  const { p25, p50, p75 } = lengths.quantiles;
  return (
    <Panel title={t('synthesis.diversity.title')}>
      {records === 0 ? (
        <Text size="sm" c="dimmed">
          {t('synthesis.diversity.none')}
        </Text>
      ) : (
        <div className="diversity">
          <Stack gap={8} component="ul" className="share-bars" aria-label={t('synthesis.diversity.title')}>
            <ShareLine
              label={t('synthesis.diversity.coverage')}
              help={t('synthesis.diversity.coverageHelp', {
                with: formatCount(samplesWithRecords, locale),
                all: formatCount(samples, locale),
              })}
              share={coverage}
            />
            {distinct.map(({ words, share }) => (
              <ShareLine
                key={words}
                label={t('synthesis.diversity.distinct', { words })}
                help={t('synthesis.diversity.distinctHelp', { count: words })}
                share={share}
              />
            ))}
            <ShareLine
              label={t('synthesis.diversity.nearDuplicates')}
              help={t('synthesis.diversity.nearDuplicatesHelp')}
              share={nearDuplicates}
              color="var(--mantine-color-orange-filled)"
            />
          </Stack>
          <figure className="diversity-lengths">
            <figcaption>
              <Text size="sm" fw={600}>
                {t('synthesis.diversity.lengths')}
              </Text>
              <Text size="xs" c="dimmed">
                {t('synthesis.diversity.quantiles', {
                  p25: formatCount(p25, locale),
                  p50: formatCount(p50, locale),
                  p75: formatCount(p75, locale),
                })}
              </Text>
            </figcaption>
            <LengthHistogram bars={lengths.histogram} />
          </figure>
        </div>
      )}
      {measured < records && (
        <Text size="xs" c="dimmed" mt={4}>
          {t('synthesis.diversity.measured', {
            measured: formatCount(measured, locale),
            records: formatCount(records, locale),
          })}
        </Text>
      )}
    </Panel>
  );
}

function ShareLine(props: { label: string; help: string; share: number; color?: string }) {
  const locale = useLocale();
  const { label, help, share, color } = props;
  return (
    <li>
      <div className="share-line">
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Text size="sm" className="figure">
          {formatShare(share, locale)}
        </Text>
      </div>
      <div className="share-bar" aria-hidden>
        {share > 0 && (
          <div style={{ width: `${100 * share}%`, background: color ?? 'var(--mantine-primary-color-filled)' }} />
        )}
      </div>
      <Text size="xs" c="dimmed">
        {help}
      </Text>
    </li>
  );
}

function LengthHistogram({ bars }: { bars: readonly SynthesisLengthBar[] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const [first, last] = [bars.at(0), bars.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <>
      <div
        className="length-bars"
        role="img"
        aria-label={t('synthesis.diversity.histogram', {
          from: formatCount(first.from, locale),
          to: formatCount(last.to, locale),
          most: formatCount(most, locale),
        })}
      >
        {bars.map(({ from, to, count }) => (
          <div
            key={from}
            title={t('synthesis.diversity.bar', {
              from: formatCount(from, locale),
              to: formatCount(to, locale),
              count,
              records: formatCount(count, locale),
            })}
          >
            <div style={{ height: `${(100 * count) / most}%` }} />
          </div>
        ))}
      </div>
      <div className="share-line" aria-hidden>
        <Text size="xs" c="dimmed" className="figure">
          {formatCount(first.from, locale)}
        </Text>
        <Text size="xs" c="dimmed">
          {t('synthesis.diversity.characters')}
        </Text>
        <Text size="xs" c="dimmed" className="figure">
          {formatCount(last.to, locale)}
        </Text>
      </div>
    </>
  );
}
