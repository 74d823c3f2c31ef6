import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount, formatShare } from '../../../ui/format.ts';
import { verdictColors } from '../../../runs/verdict-badge.tsx';
import type { StepCounts } from './use-preview.ts';

/** What a step did to the samples that reached it in the preview: the share it drops, as a figure and a bar. */
export function StepRates({ counts, isSet, isStale }: { counts: StepCounts; isSet: boolean; isStale: boolean }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { in: reached, changed, dropped, failed } = counts;
  const share = (count: number): string => formatShare(reached === 0 ? 0 : count / reached, locale);
  const parts = [
    [Math.max(0, reached - changed - dropped - failed), verdictColors.KEPT],
    [changed, verdictColors.CHANGED],
    [dropped, verdictColors.DROPPED],
    [failed, verdictColors.FAILED],
  ] as const;
  return (
    <div
      className="step-rates"
      data-stale={isStale || undefined}
      title={t('cleaning.rates.reached', { count: reached, reached: formatCount(reached, locale) })}
    >
      <div className="sum-bar" aria-hidden>
        {parts.map(([count, color]) => (
          <div key={color} style={{ flexGrow: count, background: color }} />
        ))}
      </div>
      <Group gap="xs">
        <Text size="xs" c="dimmed" className="figure">
          <Dot verdict="DROPPED" /> {t('cleaning.rates.drops', { share: share(dropped) })}
        </Text>
        {changed > 0 && (
          <Text size="xs" c="dimmed" className="figure">
            <Dot verdict="CHANGED" /> {t('cleaning.rates.changes', { share: share(changed) })}
          </Text>
        )}
        {failed > 0 && (
          <Text size="xs" c="red" className="figure">
            <Dot verdict="FAILED" /> {t('cleaning.rates.fails', { share: share(failed) })}
          </Text>
        )}
        {isSet && (
          <Text size="xs" c="dimmed">
            {t('cleaning.rates.amongThese')}
          </Text>
        )}
      </Group>
    </div>
  );
}

/** A dot in the colour of a part of the bar, shown before its label. */
function Dot({ verdict }: { verdict: 'DROPPED' | 'CHANGED' | 'FAILED' }) {
  return <span className="dot" style={{ background: verdictColors[verdict] }} aria-hidden />;
}
