import { parameterProblems as problems } from '../kernel/parameter-problems.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { invalid } from '../kernel/errors.ts';

/** A valid expression, in the form that croner parses. */
export type CronExpression = {
  /** The expression with single spaces, as stored and shown. */
  text: string;
  /**
   * An equivalent pattern for croner, with minutes and hours that do not begin with `*` expanded to lists of numbers.
   */
  pattern: string;
  /** True if a day must match both day fields; false if either is enough. */
  matchBothDays: boolean;
};

type Field = { name: Reason; min: number; max: number; names?: readonly string[]; longestStep: number };

const minute: Field = { name: problems.CRON_MINUTE.reason({}), min: 0, max: 59, longestStep: 60 };
const hour: Field = { name: problems.CRON_HOUR.reason({}), min: 0, max: 23, longestStep: 24 };
const day: Field = { name: problems.CRON_DAY.reason({}), min: 1, max: 31, longestStep: 31 };
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month: Field = { name: problems.CRON_MONTH.reason({}), min: 1, max: 12, names: months, longestStep: 12 };
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Sunday is both 0 and 7. */
const weekday: Field = { name: problems.CRON_WEEKDAY.reason({}), min: 0, max: 7, names: weekdays, longestStep: 7 };

/** Parses a five-field cron expression by the rules of Debian's cron; throws INVALID_PARAMETER. */
export function parseCronExpression(cron: string): CronExpression {
  const fields = cron.split(/\s+/).filter((field) => field !== '');
  const [minutes, hours, days, monthsGiven, weekdaysGiven] = fields;
  if (
    fields.length !== 5 ||
    minutes === undefined ||
    hours === undefined ||
    days === undefined ||
    monthsGiven === undefined ||
    weekdaysGiven === undefined
  ) {
    throw invalid('schedule.cron', problems.CRON_FIELDS.reason({ count: fields.length }));
  }
  const minuteList = timesOf(minute, minutes);
  const hourList = timesOf(hour, hours);
  // Beyond Debian's syntax, croner's own forms: L, LW and 15W for days, 5L and fri#2 for weekdays, + for "both".
  if (!/^lw$/i.test(days)) for (const item of itemsOf(day, days)) if (!/^l$/i.test(item)) checkDay(days, item);
  for (const item of itemsOf(month, monthsGiven)) valuesOf(month, monthsGiven, item);
  const weekdaysListed = weekdaysGiven.replace(/^\+/, '');
  for (const item of itemsOf(weekday, weekdaysListed)) checkWeekday(weekdaysListed, item);
  return {
    text: fields.join(' '),
    pattern: [minuteList, hourList, days, monthsGiven, weekdaysGiven].join(' '),
    matchBothDays: [days, weekdaysGiven].some((field) => /^[*?+]/.test(field)),
  };
}

/**
 * Works around a difference: croner handles times in the daylight-saving gap, and repeated times, like cron only if
 * minutes and hours have neither wildcards nor steps; Debian's cron only checks whether they begin with `*`.
 */
function timesOf(field: Field, text: string): string {
  const values = itemsOf(field, text).flatMap((item) => valuesOf(field, text, item));
  return /^[*?]/.test(text) ? text : [...new Set(values)].toSorted((a, b) => a - b).join(',');
}

function itemsOf(field: Field, text: string): string[] {
  const items = text.split(',');
  if (items.includes('')) throw invalid('schedule.cron', problems.CRON_EMPTY_ITEM.reason({ field: field.name, text }));
  return items;
}

function checkDay(text: string, item: string): void {
  const nearest = /^(\d+)w$/i.exec(item)?.[1];
  valuesOf(day, text, item, nearest);
}

function checkWeekday(text: string, item: string): void {
  const marked = /^([^#]*[^#*?])(?:#([^#]*)|l)$/i.exec(item);
  const nth = marked?.[2];
  if (nth !== undefined && !/^(?:0*[1-5]|l)$/i.test(nth))
    throw refused({ field: weekday, text, item }, problems.CRON_NTH.reason({}));
  valuesOf(weekday, text, item, marked?.[1]);
}

/** The values of one list item: `*`, a number or name, a range, or a step over `*` or a range. */
function valuesOf(field: Field, text: string, item: string, bare: string = item): number[] {
  const place = { field, text, item };
  const parts = /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\w+))?$/.exec(bare);
  if (parts === null) throw refused(place, formsOf(field));
  const [, star, first = '', last, stepText] = parts;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (!/^\d+$/.test(stepText ?? '1') || step < 1 || step > field.longestStep)
    throw refused(place, problems.CRON_STEP.reason({ longest: field.longestStep }));
  if (star !== undefined) return everyOf(field.min, field === weekday ? 6 : field.max, step);
  const from = valueOf(field, place, first);
  if (last === undefined) {
    if (stepText !== undefined)
      throw refused(place, problems.CRON_STEP_RANGE.reason({ example: `${first}-${field.max}/${step}` }));
    return [from];
  }
  // A range of weekdays may end with Sunday.
  const to = field === weekday && /^sun$/i.test(last) ? 7 : valueOf(field, place, last);
  if (from > to)
    throw refused(place, problems.CRON_BACKWARDS.reason({ example: forwardsOf(field, first, last, from, to) }));
  return everyOf(from, to, step);
}

function everyOf(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

function valueOf(field: Field, place: Place, text: string): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named !== -1) return field === month ? named + 1 : named;
  const value = Number(text);
  if (!/^\d+$/.test(text)) throw refused(place, formsOf(field));
  if (value < field.min || value > field.max) throw refused(place, boundsOf(field));
  return value;
}

/** Suggests `fri-sun,mon` for `fri-mon`: the same days as two forward ranges. */
function forwardsOf(field: Field, first: string, last: string, from: number, to: number): string {
  if (field === weekday && to === 0) return `${first}-7`;
  const named = field.names !== undefined && !/^\d/.test(first);
  const min = field === weekday ? 1 : field.min;
  const end = named ? (field === weekday ? 'sun' : 'dec') : field.max;
  const start = named ? (field === weekday ? 'mon' : 'jan') : min;
  return `${from === field.max ? first : `${first}-${end}`},${to === min ? last : `${start}-${last}`}`;
}

function boundsOf({ min: from, max: to, names }: Field): Reason {
  return names === undefined
    ? problems.CRON_BOUNDS.reason({ from, to })
    : problems.CRON_BOUNDS_NAMED.reason({ from, to, names: names.join(', ') });
}

function formsOf({ min: from, max: to, names }: Field): Reason {
  return names === undefined
    ? problems.CRON_FORMS.reason({ from, to })
    : problems.CRON_FORMS_NAMED.reason({ from, to, names: names.join(', ') });
}

/** An item of a field, and the whole text of the field. */
type Place = { field: Field; text: string; item: string };

function refused({ field, text, item }: Place, why: Reason): Error {
  const named = item === text ? `"${item}"` : `"${item}" in "${text}"`;
  return invalid('schedule.cron', problems.CRON_FIELD.reason({ field: field.name, item: named, why }));
}
