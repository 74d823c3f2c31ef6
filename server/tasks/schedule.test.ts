import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../kernel/errors.ts';
import { parseSchedule } from './schedule.ts';

/** Collects times after a moment as a running service does: each is computed five seconds after the one before. */
function timesAfter(cron: string, timezone: string, from: string, count: number): string[] {
  const schedule = parseSchedule({ cron, timezone });
  const times: string[] = [];
  for (let moment = new Date(from); times.length < count;) {
    const next = schedule.nextAfter(moment);
    assert.ok(next !== null, cron);
    times.push(next.replace(':00.000Z', 'Z'));
    moment = new Date(Date.parse(next) + 5_000);
  }
  return times;
}

type Row = readonly [cron: string, timezone: string, from: string, times: readonly string[]];

function expectTimes(rows: readonly Row[]): void {
  for (const [cron, timezone, from, times] of rows)
    assert.deepEqual(timesAfter(cron, timezone, from, times.length), times, `${cron} in ${timezone}`);
}

// cronsim 2.8, which follows Debian's cron, gives the same times wherever it accepts the expression.
test('times that fall into the gap of summer time run once, right after it', () => {
  const before = '2027-03-27T12:00Z';
  expectTimes([
    ['0 2 28 3 *', 'Europe/Berlin', before, ['2027-03-28T01:00Z', '2028-03-28T00:00Z']],
    ['30 2 28 3 *', 'Europe/Berlin', before, ['2027-03-28T01:00Z', '2028-03-28T00:30Z']],
    ['0,30 2 28 3 *', 'Europe/Berlin', before, ['2027-03-28T01:00Z', '2028-03-28T00:00Z']],
    ['10,20 2 28 3 *', 'Europe/Berlin', before, ['2027-03-28T01:00Z', '2028-03-28T00:10Z']],
    ['5-10 2 28 3 *', 'Europe/Berlin', before, ['2027-03-28T01:00Z', '2028-03-28T00:05Z']],
    ['0-59/20 2 28 3 *', 'Europe/Berlin', before, ['2027-03-28T01:00Z', '2028-03-28T00:00Z']],
    ['0,*/30 2 28 3 *', 'Europe/Berlin', before, ['2027-03-28T01:00Z', '2028-03-28T00:00Z']],
    ['0 2,14 28 3 *', 'Europe/Berlin', before, ['2027-03-28T01:00Z', '2027-03-28T12:00Z', '2028-03-28T00:00Z']],
    ['0 1-3 28 3 *', 'Europe/Berlin', before, ['2027-03-28T00:00Z', '2027-03-28T01:00Z', '2028-03-27T23:00Z']],
    ['0-59/20 2 14 3 *', 'America/New_York', '2027-03-13T12:00Z', ['2027-03-14T07:00Z', '2028-03-14T06:00Z']],
    ['0 2,14 14 3 *', 'America/New_York', '2027-03-13T12:00Z', ['2027-03-14T07:00Z', '2027-03-14T18:00Z']],
    ['10,20 2 3 10 *', 'Australia/Lord_Howe', '2027-10-01T12:00Z', ['2027-10-02T15:30Z', '2028-10-02T15:10Z']],
    ['0,40 2 3 10 *', 'Australia/Lord_Howe', '2027-10-01T12:00Z', ['2027-10-02T15:30Z', '2027-10-02T15:40Z']],
    ['0,30 0 30 4 *', 'Africa/Cairo', '2027-04-29T12:00Z', ['2027-04-29T22:00Z', '2028-04-29T21:00Z']],
    ['0 0-23/12 30 4 *', 'Africa/Cairo', '2027-04-29T12:00Z', ['2027-04-29T22:00Z', '2027-04-30T09:00Z']],
  ]);
});

test('times of the hour that comes twice run once', () => {
  expectTimes([
    ['30 2 31 10 *', 'Europe/Berlin', '2027-10-30T12:00Z', ['2027-10-31T00:30Z', '2028-10-31T01:30Z']],
    [
      '0-59/30 2 31 10 *',
      'Europe/Berlin',
      '2027-10-30T12:00Z',
      ['2027-10-31T00:00Z', '2027-10-31T00:30Z', '2028-10-31T01:00Z'],
    ],
    ['15,45 2,3 31 10 *', 'Europe/Berlin', '2027-10-31T00:50Z', ['2027-10-31T02:15Z', '2027-10-31T02:45Z']],
    [
      '0,30 1 7 11 *',
      'America/New_York',
      '2027-11-06T12:00Z',
      ['2027-11-07T05:00Z', '2027-11-07T05:30Z', '2028-11-07T06:00Z'],
    ],
    ['45 1 4 4 *', 'Australia/Lord_Howe', '2027-04-03T12:00Z', ['2027-04-03T14:45Z', '2028-04-03T15:15Z']],
    [
      '0,30 23 28 10 *',
      'Africa/Cairo',
      '2027-10-28T12:00Z',
      ['2027-10-28T20:00Z', '2027-10-28T20:30Z', '2028-10-28T21:00Z'],
    ],
  ]);
});

test('a minute or hour that begins with * follows the clock', () => {
  expectTimes([
    ['*/30 2 28 3 *', 'Europe/Berlin', '2027-03-27T12:00Z', ['2028-03-28T00:00Z']],
    ['0 */2 28 3 *', 'Europe/Berlin', '2027-03-27T23:30Z', ['2027-03-28T02:00Z']],
    [
      '*/30 2 31 10 *',
      'Europe/Berlin',
      '2027-10-31T00:10Z',
      ['2027-10-31T00:30Z', '2027-10-31T01:00Z', '2027-10-31T01:30Z'],
    ],
  ]);
});

test('a day fits both day fields if one begins with *, otherwise one of them', () => {
  const before = '2027-02-28T12:00Z';
  expectTimes([
    ['0 0 1 * */1', 'UTC', before, ['2027-03-01T00:00Z', '2027-04-01T00:00Z', '2027-05-01T00:00Z']],
    ['0 0 */2 * MON', 'UTC', before, ['2027-03-01T00:00Z', '2027-03-15T00:00Z', '2027-03-29T00:00Z']],
    ['0 0 * * MON', 'UTC', before, ['2027-03-01T00:00Z', '2027-03-08T00:00Z']],
    ['0 0 */10 * *', 'UTC', before, ['2027-03-01T00:00Z', '2027-03-11T00:00Z']],
    ['0 0 3 * MON', 'UTC', before, ['2027-03-01T00:00Z', '2027-03-03T00:00Z', '2027-03-08T00:00Z']],
    ['0 0 1-31/2 * MON', 'UTC', '2027-03-05T12:00Z', ['2027-03-07T00:00Z', '2027-03-08T00:00Z', '2027-03-09T00:00Z']],
  ]);
});

test('names, Sunday as 0 and 7, and the marks of croner are read', () => {
  const before = '2027-03-01T12:00Z';
  expectTimes([
    ['0 0 * APR-jun/2 *', 'UTC', '2027-04-30T12:00Z', ['2027-06-01T00:00Z']],
    [
      '0 0 * * fri-sun',
      'UTC',
      before,
      ['2027-03-05T00:00Z', '2027-03-06T00:00Z', '2027-03-07T00:00Z', '2027-03-12T00:00Z'],
    ],
    ['0 0 * * 7', 'UTC', before, ['2027-03-07T00:00Z']],
    ['0 0 * * 0', 'UTC', before, ['2027-03-07T00:00Z']],
    ['0 0 L * ?', 'UTC', before, ['2027-03-31T00:00Z']],
    ['0 0 LW 2,5 *', 'UTC', before, ['2027-05-31T00:00Z']],
    ['0 0 13W * *', 'UTC', before, ['2027-03-12T00:00Z']],
    ['0 0 * * fri#2', 'UTC', before, ['2027-03-12T00:00Z', '2027-04-09T00:00Z']],
    ['0 0 * * 5L', 'UTC', before, ['2027-03-26T00:00Z']],
    ['0 0 * * fri#L', 'UTC', before, ['2027-03-26T00:00Z']],
    ['0 0 5 * +FRI', 'UTC', before, ['2027-03-05T00:00Z', '2027-11-05T00:00Z']],
  ]);
});

test('schedules that are wrong say which field, and the text as typed', () => {
  const wrong: readonly (readonly [cron: string, mentions: string, timezone?: string])[] = [
    ['', 'five fields (minute, hour, day of the month, month, day of the week), as 0 6 * * 1-5; it has 0'],
    ['* * * *', 'it has 4'],
    ['0 0 * * * *', 'it has 6'],
    ['@daily', 'five fields'],
    ['60 * * * *', 'schedule.cron has a wrong minute, "60": it must be 0 to 59'],
    ['0 24 * * *', 'wrong hour, "24": it must be 0 to 23'],
    ['0 0 32 * *', 'wrong day of the month, "32": it must be 1 to 31'],
    ['0 0 1,0 * *', 'wrong day of the month, "0" in "1,0": it must be 1 to 31'],
    ['0 0 32W * *', 'wrong day of the month, "32W": it must be 1 to 31'],
    ['0 0 1 13 *', 'wrong month, "13": it must be 1 to 12, or a name: jan, feb'],
    ['0 0 1 january *', 'wrong month, "january": it must be *, a number from 1 to 12, or a name: jan'],
    ['0 0 * * 8', 'wrong day of the week, "8": it must be 0 to 7, or a name: sun, mon'],
    ['0 0 * * fri-mon', 'wrong day of the week, "fri-mon": the range runs backwards; write fri-sun,mon'],
    ['0 0 * * fri-wed', 'write fri-sun,mon-wed'],
    ['0 0 * * 6-0', 'write 6-7'],
    ['0 0 * nov-feb *', 'wrong month, "nov-feb": the range runs backwards; write nov-dec,jan-feb'],
    ['0 22-2 * * *', 'wrong hour, "22-2": the range runs backwards; write 22-23,0-2'],
    [
      '-1 * * * *',
      'wrong minute, "-1": it must be *, a number from 0 to 59; a range (1-5), a step (*/2) or a list (1,3)',
    ],
    ['1,,2 * * * *', 'an empty place in the list of its minute: "1,,2"'],
    ['*/0 * * * *', 'wrong minute, "*/0": the step after / must be 1 to 60'],
    ['* */25 * * *', 'wrong hour, "*/25": the step after / must be 1 to 24'],
    ['5/10 * * * *', 'wrong minute, "5/10": a step needs a range, as 5-59/10'],
    ['0 0 * * fri#6', 'wrong day of the week, "fri#6": the number after # must be 1 to 5'],
    ['a b c d e', 'wrong minute, "a"'],
    ['0 0 31 2 *', 'never'],
    ['0 0 * * *', 'IANA', 'Berlin'],
    ['0 0 * * *', 'IANA', '+02:00'],
    ['0 0 * * *', 'IANA', ''],
  ];
  for (const [cron, mentions, timezone = 'UTC'] of wrong) {
    assert.throws(
      () => parseSchedule({ cron, timezone }),
      (error) => {
        assert.ok(error instanceof AppError, String(error));
        assert.equal(error.code, 'INVALID_PARAMETER');
        assert.ok(error.message.includes(mentions), error.message);
        return true;
      },
      cron,
    );
  }
});

test('a schedule is stored with single spaces and read in its zone', () => {
  const weekdays = parseSchedule({ cron: ' 0  6 * * 1-5 ', timezone: 'Asia/Shanghai' });
  assert.equal(weekdays.cron, '0 6 * * 1-5');
  // Friday evening in that time zone.
  assert.equal(weekdays.nextAfter(new Date('2026-03-06T12:00:00Z')), '2026-03-08T22:00:00.000Z');
});
