const firstDelayMs = 500;
const longestDelayMs = 20_000;

/** Delay before the next attempt: doubled each time, half of it random so that callers do not retry at once. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return Math.round(full / 2 + (full / 2) * random());
}

/** Parses `Retry-After` in seconds or as a date, or `retry-after-ms`; undefined if neither is valid. */
export function parseRetryAfter(headers: { get(name: string): string | null }, now: Date): number | undefined {
  const milliseconds = headers.get('retry-after-ms');
  if (milliseconds !== null && /^\d+(\.\d+)?$/.test(milliseconds)) return Math.ceil(Number(milliseconds));
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  // Only dates with a weekday, as in RFC 9110: Date.parse accepts nearly anything.
  const date = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
