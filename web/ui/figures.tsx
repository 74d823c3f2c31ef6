import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatAgo, formatBytes, formatCost, formatCount, formatDuration, formatTime } from './format.ts';

/** The locale of numbers and times. */
export function useLocale(): string {
  return useTranslation().i18n.language;
}

/** A human-readable size in bytes; the exact one on hover. */
export function Bytes({ value }: { value: number }) {
  const locale = useLocale();
  return (
    <span className="figure" title={`${formatCount(value, locale)} B`}>
      {formatBytes(value, locale)}
    </span>
  );
}

/** A grouped number. */
export function Count({ value }: { value: number }) {
  return <span className="figure">{formatCount(value, useLocale())}</span>;
}

/** How long ago; the exact time on hover. */
export function Ago({ time }: { time: string | null | undefined }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const now = useNow(30_000);
  if (time === null || time === undefined)
    return (
      <Text span inherit c="dimmed">
        {t('common.time.never')}
      </Text>
    );
  const date = new Date(time);
  return (
    <time className="figure" dateTime={time} title={formatTime(date, locale)}>
      {formatAgo(date, now, locale) ?? t('common.time.justNow')}
    </time>
  );
}

export function Duration({ ms }: { ms: number }) {
  return <span className="figure">{formatDuration(ms, useLocale())}</span>;
}

/** The current time, updated every `everyMs`. */
export function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** Formats money in the unit of the prices. Costs are small, so all significant digits are shown. */
export function useCost(): (cost: number) => string {
  const locale = useLocale();
  return (cost) => formatCost(cost, locale);
}
