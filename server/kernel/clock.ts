/** Source of the time; tests pass their own. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** ISO 8601 UTC with milliseconds, the format of stored and sent times. */
export function isoNow(clock: Clock): string {
  return clock.now().toISOString();
}
