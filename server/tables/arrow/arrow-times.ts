/** Dates and times in the notation of the Parquet reader: `2026-01-01`, `2026-01-01 12:00:00.5`. */

const secondsOfDay = 86_400;

/** The date of a number of days since 1970-01-01. */
export function dateText(days: number): string {
  // Civil calendar in 400-year eras, by Howard Hinnant's algorithm.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const shown = year > 0 ? year : 1 - year;
  return `${String(shown).padStart(4, '0')}-${two(month)}-${two(day)}${year > 0 ? '' : ' (BC)'}`;
}

/** A time since midnight in units of `perSecond`. */
export function timeText(value: bigint, perSecond: bigint): string {
  return clockText(Number(value / perSecond), value % perSecond, perSecond);
}

/** A time since 1970 in units of `perSecond`; with `isInZone` it is an instant, in UTC. */
export function timestampText(value: bigint, perSecond: bigint, isInZone: boolean): string {
  const fraction = ((value % perSecond) + perSecond) % perSecond;
  const seconds = Number((value - fraction) / perSecond);
  const days = Math.floor(seconds / secondsOfDay);
  const [date = '', era] = dateText(days).split(/(?= \(BC\))/);
  const clock = clockText(seconds - days * secondsOfDay, fraction, perSecond);
  return `${date}${era ?? ''} ${clock}${isInZone ? '+00' : ''}`;
}

/** `1 year 2 months 3 days 04:05:06`. */
export function intervalText({ months, days, nanos }: { months: number; days: number; nanos: bigint }): string {
  const parts: string[] = [];
  const add = (count: number, unit: string): void => {
    if (count !== 0) parts.push(`${count} ${unit}${Math.abs(count) === 1 ? '' : 's'}`);
  };
  add(Math.trunc(months / 12), 'year');
  add(months % 12, 'month');
  add(days, 'day');
  if (nanos !== 0n || parts.length === 0) {
    const size = nanos < 0n ? -nanos : nanos;
    parts.push(
      `${nanos < 0n ? '-' : ''}${clockText(Number(size / 1_000_000_000n), size % 1_000_000_000n, 1_000_000_000n)}`,
    );
  }
  return parts.join(' ');
}

function clockText(seconds: number, fraction: bigint, perSecond: bigint): string {
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  if (fraction === 0n) return clock;
  return `${clock}.${String(fraction)
    .padStart(String(perSecond).length - 1, '0')
    .replace(/0+$/, '')}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
