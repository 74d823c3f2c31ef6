import { Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCount, formatShare } from './format.ts';
import { useLocale } from './figures.tsx';

export type Share = { key: string; label: ReactNode; count: number; color?: string; to?: string };

/** Counts as labelled bars, largest first: each with its figure and its share of all as its length. */
export function ShareBars({ label, shares }: { label: string; shares: readonly Share[] }) {
  const locale = useLocale();
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  return (
    <Stack gap={6} component="ul" aria-label={label} className="share-bars">
      {shares.map(({ key, label: name, count, color, to }) => (
        <li key={key}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm" lineClamp={2} className="wraps">
              {to === undefined ? name : <Link to={to}>{name}</Link>}
            </Text>
            <Text size="xs" c="dimmed" className="figure">
              {formatCount(count, locale)} · {formatShare(total === 0 ? 0 : count / total, locale)}
            </Text>
          </Group>
          <div className="share-bar" aria-hidden>
            {count > 0 && (
              <div
                style={{
                  width: `${(100 * count) / total}%`,
                  background: color ?? 'var(--mantine-primary-color-filled)',
                }}
              />
            )}
          </div>
        </li>
      ))}
    </Stack>
  );
}
