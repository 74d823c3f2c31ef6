import { Cron } from 'croner';
import { invalid } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import type { TasksTable } from '../storage/database/tables/tasks.ts';
import { parseCronExpression, type CronExpression } from './cron-expression.ts';
import type { NewSchedule } from './schemas.ts';

/** A valid schedule. */
export type ParsedSchedule = {
  cron: string;
  timezone: string;
  /** The first time after a moment; null if there is none. */
  nextAfter(moment: Date): string | null;
};

/** Parses a schedule; throws INVALID_PARAMETER. */
export function parseSchedule({ cron, timezone = 'UTC' }: NewSchedule): ParsedSchedule {
  const expression = parseCronExpression(cron);
  const zone = parseTimezone(timezone);
  const pattern = parsePattern(expression, zone);
  const nextAfter = (moment: Date): string | null => pattern.nextRun(moment)?.toISOString() ?? null;
  if (nextAfter(new Date()) === null)
    throw invalid('schedule.cron', parameterProblems.CRON_NEVER_COMES.reason({ cron: expression.text }));
  return { cron: expression.text, timezone: zone, nextAfter };
}

/** The schedule columns of a task, for a schedule set by a user or none. Throws INVALID_PARAMETER. */
export function scheduleColumnsOf(
  schedule: NewSchedule | null | undefined,
  by: string,
  now: Date,
): Pick<
  TasksTable,
  'schedule_cron' | 'schedule_timezone' | 'schedule_by' | 'next_run_at' | 'schedule_note' | 'schedule_note_sentence'
> {
  const parsed = schedule === undefined || schedule === null ? undefined : parseSchedule(schedule);
  return {
    schedule_cron: parsed?.cron ?? null,
    schedule_timezone: parsed?.timezone ?? null,
    schedule_by: parsed === undefined ? null : by,
    next_run_at: parsed?.nextAfter(now) ?? null,
    schedule_note: null,
    schedule_note_sentence: null,
  };
}

function parsePattern({ pattern, matchBothDays }: CronExpression, timezone: string): Cron {
  try {
    return new Cron(pattern, {
      timezone,
      paused: true,
      mode: '5-part',
      domAndDow: matchBothDays,
      // Times in the daylight-saving gap run once right after it, and repeated times run once; also for lists and
      // ranges.
      fixedTimeRule: 'no-wildcard',
    });
  } catch (error) {
    const problem = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    throw invalid('schedule.cron', parameterProblems.CANT_BE_READ.reason({ why: problem }));
  }
}

function parseTimezone(timezone: string): string {
  const zone = timezone.trim();
  try {
    // Intl accepts offsets as zones, but they ignore daylight saving, so they are refused like unknown zones.
    if (!/^[A-Za-z]/.test(zone)) throw new RangeError(zone);
    // Throws for an unknown zone; the name is kept as given.
    Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    throw invalid('schedule.timezone', parameterProblems.IS_NO_TIME_ZONE.reason({ zone: JSON.stringify(timezone) }));
  }
}
