// Finds personal data by its form. Every repetition is bounded and unambiguous: time is linear in the length of the
// text.
import {
  findPhoneNumbersInText,
  getCountryCallingCode,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/max';
import { inAllForms } from './character-forms.ts';
import type { Masker } from './masking.ts';

// RFC 5322 atext, without the characters that more often quote or separate an address than belong to it. Perl and its
// manuals write `name\@host`.
const email =
  /(?:(?<![\w.%+-])[\w%+-](?:[\w.%+'&-]{0,62}[\w%+-])?|(?<![\p{L}\p{N}_.%+-])\p{Script=Han}{1,6})\\?@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:[a-z]{2,24}|xn--[a-z0-9-]{2,59}|\p{Script=Han}{2,8})(?![a-z\d]|[_-]{1,20}[a-z\d])/giu;
/** The user in a URL: ssh://git@host. */
const userOfAddress = /(?<!mailto):\/\/[^\s/@]{0,80}$/i;

// File extensions and systemd unit types that look like a domain: icon@2x.png, getty@tty1.service. None is a top-level
// domain.
const fileEndings = new Set(
  (
    'png jpg jpeg gif webp svg ico bmp tif tiff psd js mjs cjs ts jsx tsx css scss sass less html htm xhtml json yaml yml toml xml ' +
    'txt csv tsv log tgz gz xz zst tar jar war exe dll lib cpp hpp lock patch diff service socket timer mount target slice ' +
    'path scope device swap conf cfg ini bak tmp orig deb rpm whl gem map snap sock pid mp mp3 mp4 wav pdf doc docx xls xlsx ppt pptx'
  ).split(' '),
);

export const maskEmails: Masker = inAllForms((text, replace) =>
  text.includes('@')
    ? text.replace(email, (found, at: number) => {
        const ending = found.slice(found.lastIndexOf('.') + 1).toLowerCase();
        // git@host.example:team/project addresses a repository.
        const isRepository = /^:[\w~/.-]*[a-z~/]/i.test(text.slice(at + found.length, at + found.length + 80));
        if (fileEndings.has(ending) || isRepository || userOfAddress.test(text.slice(Math.max(0, at - 90), at)))
          return found;
        // _jane@example.org_ is emphasis.
        const isMarked = found.startsWith('_') && text[at + found.length] === '_';
        return isMarked ? `_${replace(found.slice(1))}` : replace(found);
      })
    : text,
);

// Not in a row of codes (5280 5281 5282 …), and not a term of a formula.
const card = /(?<![\w.+-]|\b[\dA-F]{4,5}[ -])\d(?:[ -]?\d){12,18}(?![\w*^]|-\d| ?\d|\.\d| [\dA-F]{4}\b)/g;

/** Issuers by the first digits of their numbers (ISO/IEC 7812), the lengths they use and the printed grouping. */
const issuers: readonly { prefix: RegExp; groups: readonly string[] }[] = [
  { prefix: /^4/, groups: ['4-4-4-4', '4-4-4-4-3'] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, groups: ['4-4-4-4'] },
  { prefix: /^3[47]/, groups: ['4-6-5'] },
  { prefix: /^3(?:0[0-5]|095|[689])/, groups: ['4-6-4', '4-4-4-2'] },
  { prefix: /^(?:6011|64[4-9]|65)/, groups: ['4-4-4-4'] },
  { prefix: /^35(?:2[89]|[3-8])/, groups: ['4-4-4-4'] },
  { prefix: /^(?:62|81)/, groups: ['4-4-4-4', '6-13', '4-4-4-4-3'] },
  { prefix: /^220[0-4]/, groups: ['4-4-4-4'] },
  { prefix: /^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, groups: ['4-4-4-4', '4-4-4-4-3'] },
  { prefix: /^(?:504175|50(?:6[67]|9)|636297|636368)/, groups: ['4-4-4-4'] },
];

export const maskCardNumbers: Masker = inAllForms((text, replace) =>
  text.replace(card, (found, at: number) =>
    isCardNumber(found) && !isInTuple(text, at, at + found.length) ? replace(found) : found,
  ),
);

/** Whether a number stands between others, as in `(0, 2280622851300419, -55)`. */
function isInTuple(text: string, start: number, end: number): boolean {
  return /\d, $/.test(text.slice(Math.max(0, start - 3), start)) && /^, -?\d/.test(text.slice(end, end + 4));
}

/** A known issuer, a length and grouping that it uses, a single kind of separator, a correct check digit. */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  const parts = text.split(/[ -]/);
  if (text.includes(' ') && text.includes('-')) return false;
  const grouping = parts.map(({ length }) => length).join('-');
  const isKnown = issuers.some(
    ({ prefix, groups }) =>
      prefix.test(digits) &&
      groups.some((known) =>
        parts.length === 1
          ? known.split('-').reduce((sum, length) => sum + Number(length), 0) === digits.length
          : known === grouping,
      ),
  );
  return isKnown && !/^(\d)\1+$/.test(digits) && hasRightCheckDigit(digits);
}

/** ISO/IEC 7812-1, annex B. */
function hasRightCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** An extension after a number. */
const extension = String.raw`(?:(?:[ ,;]{0,2}(?:ext(?:ension)?\.?|分机号?|转)|[ ]?x)[ :：.]{0,2}\d{1,6}(?!\d))?`;
const extensionAtEnd = /(?:[ ,;]{0,2}(?:ext(?:ension)?\.?|分机号?|转)|[ ]?x)[ :：.]{0,2}\d{1,6}$/i;
/** A slash between spaces only follows an area code: "+49 30 / 901820"; later, it begins another figure. */
const slashBehindArea = String.raw`(?<=[+0][\d ()]{2,13})\)? / ?`;
const international = new RegExp(
  String.raw`(?<![\w+])(?:\(\+[1-9]\d{0,2}\)|\+\([1-9]\d{0,2}\)|\+[1-9])(?:(?:[ .()/-]{0,2}|${slashBehindArea})\d){6,16}${extension}(?!\w)`,
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
/** Words directly before a number of any region. */
const localWord =
  /(?:\b(?:t[eé]l\w{0,7}|t[eé]l[eé]fono|\w*phone|fax|mobil\w{0,2}|m[oó]vil|handy|cell\w{0,3}|call|whatsapp|sms)|电话|電話|手机|手機|传真|携帯|전화)[^\p{L}\d+]{0,5}$/iu;
/** With or without the leading 1. */
const tenDigits = /(?<![\w+.-])1?[2-9]\d{2}[2-9]\d{6}(?![\w-]|\.\d)/g;
/** A number alone in brackets; otherwise it is one of the arguments of a call. */
const alone = String.raw`(?<=(?<!\w)[(（])(?=[^()（）\n]{9,30}[)）])`;
const nationals: readonly { country: CountryCode; pattern: RegExp }[] = [
  {
    country: 'US',
    pattern: new RegExp(
      String.raw`(?:(?<![\w+.(/-]|\d[ ,])|${alone})(?:1[ .-])?(?:\([2-9]\d{2}\)[ -]?[2-9]\d{2}[ .-]|[2-9]\d{2}(?:[ -][2-9]\d{2}-|\.[2-9]\d{2}\.| [2-9]\d{2} ))\d{4}${extension}(?![\w/-]|[.,]\d| \d)`,
      'gi',
    ),
  },
  { country: 'CN', pattern: /(?<![\w+.-])(?:86[ -])?1[3-9]\d(?:[ -]?\d{4}){2}(?![\w-]|\.\d)/g },
  {
    country: 'CN',
    pattern: new RegExp(
      String.raw`(?:(?<![\w+.(（-])|${alone})(?:[(（]0(?:10|2\d|[3-9]\d\d)[)）] ?|0(?:10|2\d|[3-9]\d\d)[- ])\d{4}[ -]?\d{3,4}${extension}(?![\w-]|\.\d)`,
      'gi',
    ),
  },
  // Company numbers.
  { country: 'CN', pattern: /(?<![\w+.(/-]|\d[ ,])400-(?:\d{3}-\d{4}|\d{4}-\d{3})(?![\w/-]|\.\d)/g },
];

export const maskPhoneNumbers: Masker = inAllForms((text, replace) => {
  let masked = text;
  if (masked.includes('+'))
    masked = masked.replace(international, (found) => {
      const main = found.replace(extensionAtEnd, '');
      const length = lengthOfInternational(main);
      if (length === main.length) return replace(found);
      return length === 0 ? found : replace(found.slice(0, length)) + found.slice(length);
    });
  masked = masked.replace(afterDoubleZero, (found, at: number) => {
    const isMeant = phoneWord.test(masked.slice(Math.max(0, at - 30), at)) || hasCountryApart(found);
    // The + is one character, 00 is two.
    const length = isMeant ? lengthOfInternational(`+${found.slice(2).replace(/^[ -]/, '')}`) : 0;
    const whole = found.length - (/^00[ -]/.test(found) ? 2 : 1);
    return length === whole && length > 0 ? replace(found) : found;
  });
  masked = masked.replace(tenDigits, (found, at: number) => {
    const isMeant = phoneWordAtOnce.test(masked.slice(Math.max(0, at - 30), at));
    return isMeant && parsePhoneNumberFromString(found, 'US')?.isValid() === true ? replace(found) : found;
  });
  for (const { country, pattern } of nationals)
    masked = masked.replace(pattern, (found, ...rest: unknown[]) => {
      const at = Number(rest.at(-2));
      const isOther = /^\d+$/.test(found) && isPlainNumber(masked, at, at + found.length);
      const main = found.replace(extensionAtEnd, '');
      return !isOther && parsePhoneNumberFromString(main, country)?.isValid() === true ? replace(found) : found;
    });
  return masked;
});

/**
 * Masks numbers in the national format of a region, without the country code. They must begin with the trunk prefix 0
 * or follow a word such as "phone": other figures have as many digits.
 */
export function maskPhoneNumbersOf(regions: readonly CountryCode[]): Masker {
  return inAllForms((text, replace) => {
    let masked = text;
    for (const region of regions) {
      const code = getCountryCallingCode(region);
      let [done, end] = ['', 0];
      for (const { startsAt, endsAt, number } of findPhoneNumbersInText(masked, region)) {
        // A bracket that closes after the number is not part of it.
        const isOpen = /^[(（][^)）]*$/.test(masked.slice(startsAt, endsAt));
        const start = isOpen ? startsAt + 1 : startsAt;
        const found = masked.slice(start, endsAt);
        const isMeant = localWord.test(masked.slice(Math.max(0, start - 30), start));
        // Some regions share the country code, and so the numbers, of a larger one.
        const isLocal = number.countryCallingCode === code && !found.startsWith('+') && number.isValid();
        if (!isLocal || !(isMeant || /^[(（]?0\d{1,4}[ ./()-]/.test(found))) continue;
        done += masked.slice(end, start) + replace(found);
        end = endsAt;
      }
      masked = done + masked.slice(end);
    }
    return masked;
  });
}

/** Whether a number that begins with 00 has a separate country code: "0049 151 23456789". */
function hasCountryApart(found: string): boolean {
  const code = /^00([1-9]\d{0,2})[ -]/.exec(found)?.[1];
  return code !== undefined && parsePhoneNumberFromString(`+${found.slice(2)}`)?.countryCallingCode === code;
}

/** Whether eleven digits are a count or some other number of a program, judged by their context. */
function isPlainNumber(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 30), start);
  const after = text.slice(end, end + 4);
  if (countWord.test(before) || countedUnit.test(text.slice(end, end + 12))) return true;
  if (phoneWord.test(before) || /\p{Script=Han}/u.test(before + after)) return false;
  // 2^34, and numbers such as 16666666667.
  if (/^(?:17179869184|\d{0,5}(\d)\1{5,})/.test(text.slice(start, end))) return true;
  return /(?:[*/^@\\[{<=+-]|[\w)]\(|\d,) ?$/.test(before) || /^(?: ?[*/^=>}\]+-]|, ?-?\d)/.test(after);
}

/**
 * Length of the valid phone number at the start of the match: after a separator, another figure may follow. 0 if there
 * is none.
 */
function lengthOfInternational(found: string): number {
  for (let length = found.length; length >= 8;) {
    const candidate = found.slice(0, length);
    // A point begins a fraction, unless more groups have one: +33.1.23.45.67.89, +687 20.12.34.
    const isFraction =
      /\.\d{1,2}$/.test(candidate) && !/^\+\d{1,3}(?: \d{1,4})?(?:[ .]\d{1,4})?(?:\.\d{1,4}){2,}$/.test(candidate);
    if (
      !isFraction &&
      parsePhoneNumberFromString(candidate.replace(/^(?:\(\+|\+\()(\d+)\)/, '+$1 '))?.isValid() === true
    )
      return length;
    const separator = candidate.search(/[ .()/-]+\d+$/);
    // A point begins a fraction.
    if (separator === -1 || candidate[separator] === '.') return 0;
    length = separator;
  }
  return 0;
}
