// Finds telephone numbers that are written without the country code, for chosen regions.
import { getCountryCallingCode, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import { inAllForms } from './character-forms.ts';
import { createDigitRunReplacer, endsWithDate, goesOn, isWithinFigure, wordsBefore } from './digit-runs.ts';
import type { Masker } from './masker.ts';

/** Words directly before a number of any region. */
const localWord =
  /(?:\b(?:t[eé]l[\wéèó]{0,9}|\w*phone|fax|mobil\w{0,2}|m[oó]vil|handy|cell\w{0,3}|call|whatsapp|sms)|电话|電話|手机|手機|传真|携帯|전화)[^\p{L}\d+]{0,5}$/iu;
/** The trunk prefix and an area code. */
const trunkAndArea = /^[(（]?0\d{1,4}[ ./()-]/;
/** The same area code twice: two numbers. */
const twoNumbers = /^(?:(0\d{2,4})\D.*\D\1|(0\d)\D+(?:\d+\D+){4,}\2)\b/;

/**
 * Masks numbers in the national format of a region, without the country code. They must begin with the trunk prefix 0
 * or follow a word such as "phone": other figures have as many digits.
 */
export function maskPhoneNumbersOf(regions: readonly CountryCode[]): Masker {
  if (regions.length === 0) return (text) => text;
  const codes = regions.map((region) => ({ region, code: getCountryCallingCode(region) }));
  // Some regions share the country code, and so the numbers, of a larger one.
  const isNumber = (found: string): boolean =>
    codes.some(({ region, code }) => {
      const number = parsePhoneNumberFromString(found, region);
      return number?.isValid() === true && number.countryCallingCode === code;
    });
  return inAllForms(
    createDigitRunReplacer({
      least: 6,
      most: 13,
      leastFirst: 1,
      find(text, digitsStart, digitsEnd, run) {
        const start = startWithBracket(text, digitsStart, digitsEnd);
        const found = text.slice(start, digitsEnd);
        if (!hasNumberForm(found) || !isApart(text, start, digitsEnd)) return undefined;
        const isMeant = trunkAndArea.test(found) || isNamed(text, start, run);
        return isMeant && isNumber(found) ? { start, end: endOfExtension(text, digitsEnd) } : undefined;
      },
    }),
  );
}

/** Whether a word names the number, or the figures before it. Plain digits before it may be its beginning. */
function isNamed(text: string, start: number, run: { start: number; taken: number }): boolean {
  if (localWord.test(text.slice(Math.max(0, start - 30), start))) return true;
  const figures = text.slice(Math.max(run.start, run.taken, start - 40), start);
  const isOther = /^\D*$/.test(figures) || /[.:/]\d{1,4}\D{1,3}$|\D{2,3}$/.test(figures);
  return isOther && localWord.test(wordsBefore(text, run.start));
}

function hasNumberForm(found: string): boolean {
  return (
    /^[^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)*$/.test(found) &&
    !/[\t,]|[./-]{2}| {2}/.test(found) &&
    !twoNumbers.test(found) &&
    !endsWithDate(found)
  );
}

/** Whether a number is not a part of a word, a name or another figure. */
function isApart(text: string, start: number, end: number): boolean {
  if (/[\w+]$|[A-Za-z]-$/.test(text.slice(Math.max(0, start - 2), start)) || /^\w/.test(text.charAt(end))) return false;
  return !isWithinFigure(text, start) && !goesOn(text, end);
}

const extension = /(?:[ ,;]{0,2}(?:ext(?:ension)?\.?|分机号?|转)|[ ]?x)[ :：.]{0,2}\d{1,6}(?!\d)/iy;

function endOfExtension(text: string, end: number): number {
  extension.lastIndex = end;
  return extension.test(text) ? extension.lastIndex : end;
}

/** A bracket before the digits belongs to the number if it closes within it. */
function startWithBracket(text: string, start: number, end: number): number {
  const isOpened = /[(（]/.test(text.charAt(start - 1)) && /^\d+[)）]/.test(text.slice(start, end));
  return isOpened ? start - 1 : start;
}
