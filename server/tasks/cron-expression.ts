import { recognized } from '../kernel/sentences/index.ts';
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

type Field = { name: string; min: number; max: number; names?: readonly string[]; longestStep: number };

const minute: Field = { name: 'minute', min: 0, max: 59, longestStep: 60 };
const hour: Field = { name: 'hour', min: 0, max: 23, longestStep: 24 };
const day: Field = { name: 'day of the month', min: 1, max: 31, longestStep: 31 };
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month: Field = { name: 'month', min: 1, max: 12, names: months, longestStep: 12 };
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Sunday is both 0 and 7. */
const weekday: Field = { name: 'day of the week', min: 0, max: 7, names: weekdays, longestStep: 7 };

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
    throw refused(
      `must have five fields (minute, hour, day of the month, month, day of the week), as 0 6 * * 1-5; it has ${fields.length}`,
    );
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
  if (items.includes('')) throw refused(`has an empty place in the list of its ${field.name}: "${text}"`);
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
    throw refused(`${placeOf(weekday, text, item)}: the number after # must be 1 to 5`);
  valuesOf(weekday, text, item, marked?.[1]);
}

/** The values of one list item: `*`, a number or name, a range, or a step over `*` or a range. */
function valuesOf(field: Field, text: string, item: string, bare: string = item): number[] {
  const place = placeOf(field, text, item);
  const parts = /^(?:([*?])|(\w+)(?:-(\w+))?)(?:\/(\w+))?$/.exec(bare);
  if (parts === null) throw refused(`${place}: it must be ${formsOf(field)}`);
  const [, star, first = '', last, stepText] = parts;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (!/^\d+$/.test(stepText ?? '1') || step < 1 || step > field.longestStep)
    throw refused(`${place}: the step after / must be 1 to ${field.longestStep}`);
  if (star !== undefined) return everyOf(field.min, field === weekday ? 6 : field.max, step);
  const from = valueOf(field, place, first);
  if (last === undefined) {
    if (stepText !== undefined) throw refused(`${place}: a step needs a range, as ${first}-${field.max}/${step}`);
    return [from];
  }
  // A range of weekdays may end with Sunday.
  const to = field === weekday && /^sun$/i.test(last) ? 7 : valueOf(field, place, last);
  if (from > to) throw refused(`${place}: the range runs backwards; write ${forwardsOf(field, first, last, from, to)}`);
  return everyOf(from, to, step);
}

function everyOf(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

function valueOf(field: Field, place: string, text: string): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named !== -1) return field === month ? named + 1 : named;
  const value = Number(text);
  if (!/^\d+$/.test(text)) throw refused(`${place}: it must be ${formsOf(field)}`);
  if (value < field.min || value > field.max) throw refused(`${place}: it must be ${boundsOf(field)}`);
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

function boundsOf({ min, max, names }: Field): string {
  const bounds = `${min} to ${max}`;
  return names === undefined ? bounds : `${bounds}, or a name: ${names.join(', ')}`;
}

function formsOf(field: Field): string {
  return `*, a number from ${boundsOf(field)}; a range (1-5), a step (*/2) or a list (1,3)`;
}

function placeOf(field: Field, text: string, item: string): string {
  return item === text ? `has a wrong ${field.name}, "${item}"` : `has a wrong ${field.name}, "${item}" in "${text}"`;
}

function refused(problem: string): Error {
  return invalid('schedule.cron', recognized(problem));
}
