import { SimpleGrid, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Rethreshold } from '../../../api/schema.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';

/** What these thresholds would keep, with bounds if uncertain, and the verdicts of the other steps. */
export function ThresholdOutcome({ data, isStale }: { data: Rethreshold; isStale: boolean }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { counts, kept } = data;
  const isCertain = kept.atLeast === kept.atMost;
  const count = (value: number): string => formatCount(value, locale);
  return (
    <section className="panel" aria-live="polite" aria-busy={isStale} aria-label={t('runs.counts.title')}>
      <SimpleGrid cols={{ base: 2, sm: 5 }}>
        <Figure label={t('runs.counts.in')} value={count(counts.in)} />
        <Figure
          label={t('runs.counts.kept')}
          value={isCertain ? count(kept.estimate) : t('cleaning.thresholds.about', { value: count(kept.estimate) })}
          help={
            isCertain
              ? undefined
              : `${t('cleaning.thresholds.likely', { from: count(kept.likely.from), to: count(kept.likely.to) })} · ${t('cleaning.thresholds.bounds', { atLeast: count(kept.atLeast), atMost: count(kept.atMost) })}`
          }
        />
        <Figure label={t('runs.counts.dropped')} value={count(counts.dropped)} />
        <Figure label={t('runs.counts.failed')} value={count(counts.failed)} />
        {!isCertain && (
          <Figure
            label={t('cleaning.thresholds.undecided')}
            value={count(counts.unknown)}
            help={t('cleaning.thresholds.undecidedHelp')}
          />
        )}
      </SimpleGrid>
      {!isCertain && (
        <Text size="xs" c="dimmed" mt="xs">
          {t('cleaning.thresholds.basis')}
        </Text>
      )}
    </section>
  );
}

function Figure({ label, value, help }: { label: string; value: string; help?: string | undefined }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="lg" fw={600} className="figure">
        {value}
      </Text>
      {help !== undefined && (
        <Text size="xs" c="dimmed">
          {help}
        </Text>
      )}
    </div>
  );
}
