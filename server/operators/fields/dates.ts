export type DateOrder = 'DMY' | 'MDY';

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const month =
  '(?<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const time = String.raw`(?:(?:T|,?\s+|(?<=日)\s*)(?<hour>\d{1,2})[:：时](?<minute>\d{2})(?:[:：分](?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?秒?|分)?\s*(?<half>[ap]\.?m\.?)?\s*(?<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?`;

function dates(...forms: readonly string[]): RegExp[] {
  return forms.map((form) => new RegExp(`^(?:${form})${time}$`, 'iu'));
}

const ordered = dates(
  String.raw`(?<year>\d{4})(?<separator>[-/.])(?<month>\d{1,2})\k<separator>(?<day>\d{1,2})`,
  String.raw`(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})`,
  String.raw`(?<year>\d{4})\s*年\s*(?<month>\d{1,2})\s*月\s*(?<day>\d{1,2})\s*日`,
  String.raw`(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4})`,
  String.raw`(?:\p{L}{3,9},?\s+)?(?<day>\d{1,2})(?:st|nd|rd|th)?\.?[\s-]+${month}\.?,?[\s-]+(?<year>\d{4})`,
  String.raw`(?:\p{L}{3,9},?\s+)?${month}\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})`,
);
const either = {
  DMY: dates(String.raw`(?<day>\d{1,2})(?<separator>[-/])(?<month>\d{1,2})\k<separator>(?<year>\d{4})`),
  MDY: dates(String.raw`(?<month>\d{1,2})(?<separator>[-/])(?<day>\d{1,2})\k<separator>(?<year>\d{4})`),
};

/** A longer text is not a date. */
const longest = 64;

/** A date in ISO 8601, with its time if it has one and `withTime`; undefined if the text is not a date. */
export function readDate(text: string, order: DateOrder, withTime: boolean): string | undefined {
  const given = text.normalize('NFKC').trim();
  if (given.length > longest) return undefined;
  for (const form of [...ordered, ...either[order]]) {
    const parts = form.exec(given)?.groups;
    if (parts !== undefined) return written(parts, withTime);
  }
  return undefined;
}

type Parts = Readonly<Record<string, string | undefined>>;

function written(parts: Parts, withTime: boolean): string | undefined {
  const { name, year = '' } = parts;
  const number = name === undefined ? Number(parts['month']) : months.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  const day = Number(parts['day']);
  if (number < 1 || number > 12 || day < 1 || day > daysOf(Number(year), number)) return undefined;
  const date = `${year}-${twoDigits(number)}-${twoDigits(day)}`;
  if (parts['hour'] === undefined) return date;
  const clock = clockOf(parts);
  if (clock === undefined) return undefined;
  return withTime ? `${date}T${clock}` : date;
}

function daysOf(year: number, number: number): number {
  if (number === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return number === 4 || number === 6 || number === 9 || number === 11 ? 30 : 31;
}

function clockOf({ hour: given, minute, second = '00', fraction, half, zone }: Parts): string | undefined {
  let hour = Number(given);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (/^p/i.test(half) ? 12 : 0);
  }
  if (hour > 23 || Number(minute) > 59 || Number(second) > 59 || !isOffset(zone)) return undefined;
  const offset = zone === undefined ? '' : /^[+-]/.test(zone) ? zone.replace(/^(...)(\d\d)$/, '$1:$2') : 'Z';
  return `${twoDigits(hour)}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}${offset}`;
}

/** Offsets from UTC are at most 14 hours. */
function isOffset(zone: string | undefined): boolean {
  const [, hours, minutes] = /^[+-](\d\d):?(\d\d)$/.exec(zone ?? '') ?? [];
  return hours === undefined || (Number(hours) * 60 + Number(minutes) <= 14 * 60 && Number(minutes) < 60);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
