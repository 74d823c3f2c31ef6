// Finds personal data by its form. Every repetition is bounded and unambiguous: time is linear in the length of the
// text.
import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';

/** Replaces each finding by `mark`. */
export type Masker = (text: string, mark: string) => string;

// RFC 5322 atext, without the characters that more often quote or separate an address than belong to one.
const email =
  /(?<![\w.%+-])[\w%+-](?:[\w.%+'&-]{0,62}[\w%+-])?@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:[a-z]{2,24}|xn--[a-z0-9-]{2,59}|\p{Script=Han}{2,8})(?![\w-])/giu;

// File extensions and systemd unit types that look like a domain: icon@2x.png, getty@tty1.service. None is a top-level
// domain.
const fileEndings = new Set(
  (
    'png jpg jpeg gif webp svg ico bmp tif tiff psd js mjs cjs ts jsx tsx css scss sass less html htm xhtml json yaml yml toml xml ' +
    'txt csv tsv log tgz gz bz xz zst tar jar war exe dll lib cpp hpp lock patch diff service socket timer mount target slice ' +
    'path scope device swap conf cfg ini bak tmp orig deb rpm whl gem map snap sock pid mp mp3 mp4 wav pdf doc docx xls xlsx ppt pptx'
  ).split(' '),
);

export const maskEmails: Masker = (text, mark) =>
  text.includes('@')
    ? text.replace(email, (found, at: number) => {
        const ending = found.slice(found.lastIndexOf('.') + 1).toLowerCase();
        // git@host.example:team/project is the address of a repository.
        const isRepository = /^:[\w~/.-]*[a-z~/]/i.test(text.slice(at + found.length, at + found.length + 80));
        return fileEndings.has(ending) || isRepository ? found : mark;
      })
    : text;

const ipv4 = /(?<![\w.]|[a-z]-)(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d|[-+~][\d.]{0,20}[a-z~+])/gi;
/** Words before four numbers that are a version or a section. */
const versionWord =
  /(?:\b(?:v|ver|versions?|release|rev|revision|build|kernel|linux|firmware|driver|sections?|sec|chapters?|clause|appendix|figure|table|as of|since)[.:]?|section-number">|§|版本|章节|第)\s*$/i;
const ipv6 =
  /(?<![\w:.])(?:(?:[\da-f]{1,4}:){1,7}(?::(?:[\da-f]{1,4}(?::[\da-f]{1,4}){0,5})?|[\da-f]{1,4})|::(?:[\da-f]{1,4}:){0,5}[\da-f]{1,4})(?::?(?<=:)(?:\d{1,3}\.){3}\d{1,3}|(?:(?<=:[\da-f]{1,3})(?:\.\d{1,3}){3}))?(?:%\w{1,15})?(?![\w:]|\.\d)/gi;

export const maskIpAddresses: Masker = (text, mark) => {
  let masked = text;
  if (masked.includes(':')) masked = masked.replace(ipv6, (found) => (isIpv6(found) ? mark : found));
  return masked.replace(ipv4, (found, at: number) =>
    isIpv4(found) && !versionWord.test(masked.slice(Math.max(0, at - 24), at)) ? mark : found,
  );
};

function isIpv4(text: string): boolean {
  return text.split('.').every((part) => Number(part) <= 255 && (part === '0' || !part.startsWith('0')));
}

/**
 * RFC 4291, section 2.2. Of the forms that also occur in code (`a::b`, `x[1::2]`, a hardware address of eight bytes),
 * only those are accepted that begin like real addresses: with a group of three or four characters that contains a
 * digit.
 */
function isIpv6(found: string): boolean {
  const [text = ''] = found.split('%');
  const dotted = /(?<=:)(?:\d{1,3}\.){3}\d{1,3}$/.exec(text)?.[0];
  if (dotted !== undefined && !isIpv4(dotted)) return false;
  const plain = dotted === undefined ? text : `${text.slice(0, -dotted.length)}0:0`;
  const halves = plain.split('::');
  const groups = plain.split(':').filter((group) => group !== '');
  if (halves.length > 2 || groups.some((group) => group.length > 4)) return false;
  if (halves.length === 1) return groups.length === 8 && groups.some(({ length }) => length !== 2);
  if (groups.length > 7) return false;
  if (dotted !== undefined) return true;
  const [first = ''] = groups;
  return !plain.startsWith('::') && first.length >= 3 && /\d/.test(plain) && (groups.length > 1 || /\d/.test(first));
}

const card = /(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w]|-\d| ?\d|\.\d)/g;

/** Issuers by the first digits of their numbers (ISO/IEC 7812), the lengths they use and the printed grouping. */
const issuers: readonly { prefix: RegExp; groups: readonly string[] }[] = [
  { prefix: /^4/, groups: ['4-4-4-4', '4-4-4-4-3', '4-3-3-3'] },
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, groups: ['4-4-4-4'] },
  { prefix: /^3[47]/, groups: ['4-6-5'] },
  { prefix: /^3(?:0[0-5]|095|[689])/, groups: ['4-6-4', '4-4-4-2'] },
  { prefix: /^(?:6011|64[4-9]|65)/, groups: ['4-4-4-4'] },
  { prefix: /^35(?:2[89]|[3-8])/, groups: ['4-4-4-4'] },
  { prefix: /^(?:62|81)/, groups: ['4-4-4-4', '6-13', '4-4-4-4-3'] },
  { prefix: /^220[0-4]/, groups: ['4-4-4-4'] },
];

export const maskCardNumbers: Masker = (text, mark) =>
  text.replace(card, (found) => (isCardNumber(found) ? mark : found));

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

const international = /(?<![\w+])\+[1-9](?:[ .()/-]{0,2}\d){6,16}(?![\w])/g;
/** Words before eleven digits that are a count. */
const countWord =
  /\b(?:timestamp|time|ts|total|size|bytes|sectors|blocks|count|cycles|offset|length|sum|id|uid|isbn|sequence|seq|serial)["']?\s{0,3}[:=]?\s{0,3}$/i;
const nationals: readonly { country: CountryCode; pattern: RegExp }[] = [
  {
    country: 'US',
    pattern:
      /(?<![\w+.(/-]|\d[ ,])(?:1[ .-])?(?:\([2-9]\d{2}\)[ -]?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}(?![\w/-]|[.,]\d| \d)/g,
  },
  { country: 'CN', pattern: /(?<![\w+.-])(?:86[ -])?1[3-9]\d(?:[ -]?\d{4}){2}(?![\w-]|\.\d)/g },
  { country: 'CN', pattern: /(?<![\w+.(-])(?:\(0\d{2,3}\) ?|0\d{2,3}[- ])\d{4}[ -]?\d{3,4}(?![\w-]|\.\d)/g },
];

export const maskPhoneNumbers: Masker = (text, mark) => {
  let masked = text;
  if (masked.includes('+'))
    masked = masked.replace(international, (found) => {
      const length = lengthOfInternational(found);
      return length === 0 ? found : mark + found.slice(length);
    });
  for (const { country, pattern } of nationals)
    masked = masked.replace(pattern, (found, ...rest: unknown[]) => {
      const at = Number(rest.at(-2));
      const isCount = /^\d+$/.test(found) && countWord.test(masked.slice(Math.max(0, at - 16), at));
      return !isCount && parsePhoneNumberFromString(found, country)?.isValid() === true ? mark : found;
    });
  return masked;
};

/**
 * Length of the valid phone number at the start of the match: after a separator, another figure may follow. 0 if there
 * is none.
 */
function lengthOfInternational(found: string): number {
  for (let length = found.length; length >= 8;) {
    const candidate = found.slice(0, length);
    if (parsePhoneNumberFromString(candidate)?.isValid() === true) return length;
    const separator = candidate.search(/[ .()/-]+\d+$/);
    if (separator === -1) return 0;
    length = separator;
  }
  return 0;
}
