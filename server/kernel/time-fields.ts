import { invalid } from './errors.ts';
import { parameterProblems } from './parameter-problems.ts';

const pattern = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?(?:Z|[+-](\d\d):(\d\d))$/;

/** Parses an ISO 8601 time with a time zone; throws INVALID_PARAMETER, also for days and hours that do not exist. */
export function parseTime(field: string, text: string): Date {
  const [, day = '', minute = '', second = '00', zoneHours = '00', zoneMinutes = '00'] = pattern.exec(text) ?? [];
  const time = new Date(day === '' ? Number.NaN : text);
  if (Number.isNaN(time.getTime())) throw invalid(field, parameterProblems.MUST_BE_TIME.reason({}));
  // `Date` parses 30 February as 2 March, and 24:00 as the next day.
  const inItsZone = new Date(`${day}T${minute}:${second}Z`).toISOString();
  if (!inItsZone.startsWith(`${day}T${minute}:${second}`) || Number(zoneHours) > 23 || Number(zoneMinutes) > 59)
    throw invalid(field, parameterProblems.NAMES_NO_MOMENT.reason({}));
  return time;
}
