const firstDelayMs = 500;
const longestDelayMs = 20_000;

/** How long before the next attempt: doubled each time, half of it by chance so that callers don't come back together. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const full = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  return Math.round(full / 2 + (full / 2) * random());
}

/** `Retry-After` in seconds or as a date, or `retry-after-ms`; undefined where neither can be understood. */
export function parseRetryAfter(headers: { get(name: string): string | null }, now: Date): number | undefined {
  const milliseconds = headers.get('retry-after-ms');
  if (milliseconds !== null && /^\d+(\.\d+)?$/.test(milliseconds)) return Math.ceil(Number(milliseconds));
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  // Only dates with a weekday, as RFC 9110 has them: Date.parse makes one of nearly anything.
  const date = /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
