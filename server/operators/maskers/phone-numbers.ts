// Finds telephone numbers by their form and the numbering plans of libphonenumber. Every repetition is bounded and
// unambiguous: time is linear in the length of the text.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import { inAllForms } from './character-forms.ts';
import { endsWithDate, goesOn, wordsBefore } from './digit-runs.ts';
import type { Masker } from './masker.ts';

/** An extension after a number. */
const extension = String.raw`(?:(?:[ ,;]{0,2}(?:ext(?:ension)?\.?|分机号?|转)|[ ]?x)[ :：.]{0,2}\d{1,6}(?!\d))?`;
const extensionAtEnd = /(?:[ ,;]{0,2}(?:ext(?:ension)?\.?|分机号?|转)|[ ]?x)[ :：.]{0,2}\d{1,6}$/i;
/** A slash between spaces only follows an area code: "+49 30 / 901820"; later, it begins another figure. */
const slashBehindArea = String.raw`(?<=[+0][\d ()]{2,13})\)? / ?`;
const international = new RegExp(
  String.raw`(?:(?<![\w+])|(?<=\+[\d ]{7,18}))(?:\(\+[1-9]\d{0,2}\)|\+\([1-9]\d{0,2}\)|\+[1-9])(?:(?:[ .()/-]{0,2}|${slashBehindArea})\d){6,16}${extension}(?!\w)`,
  'gi',
);
/** With 00 instead of +; only after a phone word or with a separate country code, as other figures begin with 00 too. */
const afterDoubleZero = new RegExp(
  String.raw`(?<![\w+.(-])00[ -]?[1-9](?:(?:[ .()-]{0,2}|${slashBehindArea})\d){6,15}(?!\w)`,
  'g',
);
/** Words before eleven digits that make them a count. */
const countWord =
  /\b(?:timestamp|time|duration|ts|total|size|bytes|\w{0,20}memory|sectors|blocks|count|cycles|offset|length|sum|id|uid|isbn|sequence|seq|serial)["']?\s{0,3}\\?[:=]?\s{0,3}$/i;
/** Units after the digits that make them a count. */
const countedUnit =
  /^ ?(?:(?:bytes?|bits?|[kmgt]i?b|rows?|lines?|samples?|records?|tokens?|items?|files?|cycles|times|[nmuµ]?s|sec|seconds?)\b|字节|行|条|个|次|毫秒|微秒|纳秒|秒)/i;
/** The short words only count outside of others, such as "syscall" and "hotel". */
const phoneWord =
  /phone|fax|mobile|whatsapp|wechat|(?<![a-z])(?:tel|cell|call|contact|number|sms)|手机|手機|电话|電話|号|號|联系|聯|微信|热线/i;
/** Words directly before ten digits that make them a North American number. */
const phoneWordAtOnce =
  /(?:\b(?:tel(?:ephone)?|phone|fax|mobile|cell|call|whatsapp|sms)(?: ?(?:number|no|nr))?|电话|電話|手机|传真)["'.]?\s{0,2}[:：=]?\s{0,2}["'(]?$/i;
/** With or without the leading 1. */
const tenDigits = /(?<![\w+.-])1?[2-9]\d{2}[2-9]\d{6}(?![\w-]|\.\d)/g;
/** A number alone in brackets; otherwise it is one of the arguments of a call. */
const alone = String.raw`(?<=(?<!\w)[(（])(?=[^()（）\n]{9,30}[)）])`;
const nationals: readonly { country: CountryCode; pattern: RegExp }[] = [
  {
    country: 'US',
    pattern: new RegExp(
      String.raw`(?:(?<![\w+.(-]|(?<!\d)\/)|${alone})(?:1[ .-])?(?:\([2-9]\d{2}\)[ -]?[2-9]\d{2}[ .-]|[2-9]\d{2}(?:[ -][2-9]\d{2}-|\.[2-9]\d{2}\.| [2-9]\d{2} ))\d{4}${extension}(?!\w)`,
      'gi',
    ),
  },
  { country: 'CN', pattern: /(?<![\w+.]|(?<!\d)-)(?:86[ -])?1[3-9]\d(?:[ -]?\d{4}){2}(?!\w)/g },
  {
    country: 'CN',
    pattern: new RegExp(
      String.raw`(?:(?<![\w+.(（-])|${alone})(?:[(（]0(?:10|2\d|[3-9]\d\d)[)）] ?|0(?:10|2\d|[3-9]\d\d)[- ])\d{4}[ -]?\d{3,4}${extension}(?!\w)`,
      'gi',
    ),
  },
  // Company numbers.
  { country: 'CN', pattern: /(?<![\w+.(-]|(?<!\d)\/)400-(?:\d{3}-\d{4}|\d{4}-\d{3})(?!\w)/g },
];

export const maskPhoneNumbers: Masker = inAllForms((text, replace) => {
  let masked = text;
  if (masked.includes('+'))
    masked = masked.replace(international, (found, at: number) => {
      const main = found.replace(extensionAtEnd, '');
      const length = lengthOfValid(masked, at, main, isInternational);
      if (length === main.length) return replace(found);
      return length === 0 ? found : replace(found.slice(0, length)) + found.slice(length);
    });
  masked = masked.replace(afterDoubleZero, (found, at: number) => {
    const isMeant = phoneWord.test(wordsBefore(masked, at).slice(-30)) || hasCountryApart(found);
    const length = isMeant ? lengthOfValid(masked, at, found, isAfterDoubleZero) : 0;
    return length === 0 ? found : replace(found.slice(0, length)) + found.slice(length);
  });
  masked = masked.replace(tenDigits, (found, at: number) => {
    const isMeant =
      phoneWordAtOnce.test(masked.slice(Math.max(0, at - 30), at)) || phoneWordAtOnce.test(wordsBefore(masked, at));
    return isMeant && parsePhoneNumberFromString(found, 'US')?.isValid() === true ? replace(found) : found;
  });
  for (const { country, pattern } of nationals)
    masked = masked.replace(pattern, (found, ...rest: unknown[]) => {
      const at = Number(rest.at(-2));
      const isPlain = /^\d+$/.test(found) && isPlainNumber(masked, at, at + found.length);
      if (isPlain || !isApart(masked, at, at + found.length, country)) return found;
      const main = found.replace(extensionAtEnd, '');
      return parsePhoneNumberFromString(main, country)?.isValid() === true ? replace(found) : found;
    });
  return masked;
});

/** A time, a date or an amount at the start or at the end of a text. */
const figure = String.raw`(?:\d{1,2}:\d\d(?::\d\d)?|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|[\d.,]{1,12}[.,]\d\d)`;
const figureBefore = new RegExp(String.raw`(?<![\w.,])${figure}[ ,-]{1,2}$`);
const figureBehind = new RegExp(String.raw`^[ ,-]{1,2}${figure}(?![\w:])`);

/**
 * Whether a national number belongs to no longer figure. Spaces alone don't tell the groups of a North American number
 * from figures beside it: then a word must name it, or the others must be times, dates or amounts.
 */
function isApart(text: string, start: number, end: number, country: CountryCode): boolean {
  const [before, after] = [text.slice(Math.max(0, start - 24), start), text.slice(end, end + 24)];
  if (/^(?:[.:]\d|\/\D|-[^\W\d])/.test(after)) return false;
  // 1365664 2034-03-08
  if (/^-\d\d-\d\d(?!\d)/.test(after) && /\D(?:19|20)\d\d$/.test(text.slice(start, end))) return false;
  const isBeside = /\d(?:[ ,]|\/)$/.test(before) || /^[ ,/]\d/.test(after);
  const isJoined = after.startsWith('-') || before.endsWith('-');
  if (!isBeside && !isJoined) return true;
  const isFormatted = !isJoined && (country !== 'US' || /[().-]/.test(text.slice(start, end)));
  return isFormatted || phoneWord.test(wordsBefore(text, start).slice(-30)) || isAmongFigures(before, after);
}

/** Whether figures beside a number, if any, are times, dates or amounts. */
function isAmongFigures(before: string, after: string): boolean {
  return (
    (!/\d[ ,/-]$/.test(before) || figureBefore.test(before)) && (!/^[ ,/-]\d/.test(after) || figureBehind.test(after))
  );
}

/** Whether a number that begins with 00 has a separate country code: "0049 151 23456789". */
function hasCountryApart(found: string): boolean {
  const code = /^00([1-9]\d{0,2})[ -]/.exec(found)?.[1];
  return code !== undefined && parsePhoneNumberFromString(`+${found.slice(2)}`)?.countryCallingCode === code;
}

/** Whether eleven digits are a count or some other number of a program, judged by their context. */
function isPlainNumber(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 30), start);
  // A time or a date behind it is no further term.
  const after = figureBehind.test(text.slice(end, end + 24)) ? '' : text.slice(end, end + 4);
  if (countWord.test(before) || countedUnit.test(text.slice(end, end + 12))) return true;
  if (phoneWord.test(before) || /\p{Script=Han}/u.test(before + after)) return false;
  // 2^34, and numbers such as 16666666667.
  if (/^(?:17179869184|\d{0,5}(\d)\1{5,})/.test(text.slice(start, end))) return true;
  return /(?:[*/^@\\[{<=+-]|[\w)]\(|\d,) ?$/.test(before) || /^(?: ?[*/^=>}\]+-]|, ?-?\d)/.test(after);
}

function isInternational(found: string): boolean {
  // A point begins a fraction, unless more groups have one: +33.1.23.45.67.89, +687 20.12.34.
  const isFraction =
    /\.\d{1,2}$/.test(found) && !/^\+\d{1,3}(?: \d{1,4})?(?:[ .]\d{1,4})?(?:\.\d{1,4}){2,}$/.test(found);
  const isOpen = /\([^)]*$/.test(found);
  return (
    !isFraction &&
    !isOpen &&
    parsePhoneNumberFromString(found.replace(/^(?:\(\+|\+\()(\d+)\)/, '+$1 '))?.isValid() === true
  );
}

function isAfterDoubleZero(found: string): boolean {
  return isInternational(`+${found.slice(2).replace(/^[ -]/, '')}`);
}

/**
 * Length of the longest valid number at the start of `found`: after a separator, another figure may follow, and a number
 * that ends with a date or within a figure only counts if there is no other. 0 if there is none.
 */
function lengthOfValid(text: string, at: number, found: string, isValid: (found: string) => boolean): number {
  const lengths = [found.length];
  for (const { index } of found.matchAll(/[ .()/-]+(?=\d)/g)) if (index >= 7) lengths.push(index);
  lengths.sort((left, right) => right - left);
  const whole = lengths.find(
    (length) => !goesOn(text, at + length) && !endsWithDate(found.slice(0, length)) && isValid(found.slice(0, length)),
  );
  if (whole !== undefined) return whole;
  return (
    lengths.find(
      (length) => !/^[.:]\d/.test(text.slice(at + length, at + length + 2)) && isValid(found.slice(0, length)),
    ) ?? 0
  );
}
