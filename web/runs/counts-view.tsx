import { Group, SimpleGrid, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Run } from '../api/schema.ts';
import { Count, useLocale } from '../ui/figures.tsx';
import { formatCount, formatShare } from '../ui/format.ts';
import { countsTexts, type Inputs } from './run-area.ts';
import { verdictColors } from './verdict-badge.tsx';

type Counts = Run['counts'];

const parts = ['kept', 'dropped', 'failed'] as const;
const figuresOf = {
  samples: ['in', 'kept', 'changed', 'dropped', 'failed', 'emitted'],
  // Collection does not change what it fetches, and writes all of it.
  items: ['in', 'kept', 'dropped', 'failed'],
  records: ['in', 'kept', 'dropped', 'failed', 'emitted'],
} as const;
const colors = { kept: verdictColors.KEPT, dropped: verdictColors.DROPPED, failed: verdictColors.FAILED } as const;

/** in = kept + dropped + failed, as a sum and as one bar. */
export function CountsView(props: { counts: Counts; inputs: Inputs; skipped?: number }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { counts, inputs, skipped = 0 } = props;
  const texts = countsTexts[inputs];
  const figures = figuresOf[inputs].map((name) => ({
    name,
    label: t(`runs.${texts}.${name}` as 'runs.counts.in'),
    help: t(`runs.${texts}.help.${name}` as 'runs.counts.help.in'),
  }));
  const labelOf = (part: (typeof parts)[number]): string => figures.find(({ name }) => name === part)?.label ?? '';
  return (
    <section className="panel" aria-label={t(`runs.${texts}.title`)}>
      <SimpleGrid cols={{ base: 2, sm: 3, md: 6 }}>
        {figures.map(({ name, label, help }) => (
          <div key={name} title={help}>
            <Text size="xs" c="dimmed">
              {label}
            </Text>
            <Text size="lg" fw={600} component="div" c={name === 'failed' && counts.failed > 0 ? 'red' : undefined}>
              <Count value={counts[name]} />
            </Text>
          </div>
        ))}
      </SimpleGrid>
      <div className="sum-bar" aria-hidden>
        {parts.map((name) => (
          <div key={name} style={{ flexGrow: counts[name], background: colors[name] }} />
        ))}
      </div>
      <Group gap="md">
        {parts.map((name) => (
          <Text key={name} size="xs" c="dimmed" className="figure">
            <span className="dot" style={{ background: colors[name] }} aria-hidden /> {labelOf(name)}{' '}
            {formatShare(counts.in === 0 ? 0 : counts[name] / counts.in, locale)}
          </Text>
        ))}
      </Group>
      {skipped > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {t('runs.skipped', { count: skipped, skipped: formatCount(skipped, locale) })}
        </Text>
      )}
    </section>
  );
}
