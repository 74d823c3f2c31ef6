import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ListedRun } from '../../api/schema.ts';
import { useLocale, useNow } from '../../ui/figures.tsx';
import { dayOutcomes, daysOf, type Outcome } from './run-days.ts';

const shownDays = 14;
const height = 110;
const colors: Readonly<Record<Outcome, string>> = {
  completed: 'var(--mantine-color-green-filled)',
  withFailures: 'var(--mantine-color-orange-filled)',
  failed: 'var(--mantine-color-red-filled)',
  other: 'var(--mantine-color-blue-filled)',
};

/** Runs of the last days, one bar per day, each outcome in its colour. */
export function RunTimeline({ runs }: { runs: readonly ListedRun[] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const days = daysOf(runs, useNow(60_000), shownDays);
  const most = Math.max(1, ...days.map(({ total }) => total));
  const dayName = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const used = dayOutcomes.filter((outcome) => days.some(({ counts }) => counts[outcome] > 0));
  return (
    <figure className="timeline">
      <ol className="timeline-days" style={{ height }} aria-label={t('home.timeline.title')}>
        {days.map(({ day, total, counts }) => {
          const label = t('home.timeline.day', { day: dayName.format(day), count: total });
          return (
            <li key={day.toISOString()} title={label} aria-label={label}>
              <div className="timeline-bar" style={{ height: `${(100 * total) / most}%` }}>
                {dayOutcomes.map((outcome) => (
                  <div key={outcome} style={{ flexGrow: counts[outcome], background: colors[outcome] }} />
                ))}
              </div>
            </li>
          );
        })}
      </ol>
      <Group justify="space-between" gap="xs" mt={4} wrap="nowrap" className="timeline-ends">
        <Text size="xs" c="dimmed">
          {dayName.format(days[0]?.day)}
        </Text>
        <Text size="xs" c="dimmed">
          {t('home.timeline.today')}
        </Text>
      </Group>
      <Group gap="sm" justify="center">
        {used.map((outcome) => (
          <Text key={outcome} size="xs" c="dimmed">
            <span className="dot" style={{ background: colors[outcome] }} aria-hidden /> {t(`home.timeline.${outcome}`)}
          </Text>
        ))}
      </Group>
    </figure>
  );
}
