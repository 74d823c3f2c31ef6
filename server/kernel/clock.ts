/** Where the time comes from; tests hand in their own. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** ISO 8601 UTC with milliseconds, the form in which times are stored and sent. */
export function isoNow(clock: Clock): string {
  return clock.now().toISOString();
}
