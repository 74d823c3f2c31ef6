// Finds payment card numbers by issuer, length, grouping and check digit.
import { inAllForms } from './character-forms.ts';
import { createDigitRunReplacer } from './digit-runs.ts';

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
const lengthOf = (grouping: string): number => grouping.split('-').reduce((sum, length) => sum + Number(length), 0);
const known = issuers.map(({ prefix, groups }) => ({ prefix, groups, lengths: groups.map(lengthOf) }));

export const maskCardNumbers = inAllForms(
  createDigitRunReplacer({
    least: 14,
    most: 19,
    leastFirst: 4,
    find: (text, start, end, { taken }) => {
      const found = text.slice(start, end);
      return isCardNumber(found) && isApart(text, start, end) && !isListed(text, start, end, taken)
        ? { start, end }
        : undefined;
    },
  }),
);

/** A known issuer, a length and grouping that it uses, a single kind of separator, a correct check digit. */
function isCardNumber(text: string): boolean {
  if (!/^\d+(?:( {1,2}|[.-])\d+(?:\1\d+)*)?$/.test(text)) return false;
  const parts = text.split(/ {1,2}|[.-]/);
  const digits = parts.join('');
  const grouping = parts.map(({ length }) => length).join('-');
  const isKnown = known.some(
    ({ prefix, groups, lengths }) =>
      prefix.test(digits) && (parts.length === 1 ? lengths.includes(digits.length) : groups.includes(grouping)),
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

/** Whether a number belongs to no name, fraction or formula. Figures may stand beside it, also behind a hyphen. */
function isApart(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 6), start);
  // The stripe of a card: %B4111111111111111^DOE/JOHN^2512.
  if (before.endsWith('%B') && text[end] === '^') return true;
  if (/[\w+]$|(?<!\d)-$/.test(before) || (before.endsWith('.') && !/\b(?:no|nr|card)\.$/i.test(before))) return false;
  const after = text.slice(end, end + 2);
  // A short last group may be the begin of a date: 4012 8888 8888 05/33.
  if (/\D\d\d$/.test(text.slice(end - 3, end)) && /^[/:]\d/.test(after)) return false;
  return !/^(?:[\w*^]|-[^\W\d]|\.\d)/.test(after);
}

/** Whether a number is one of a list of figures or codes. `taken` is where the card number before it ends. */
function isListed(text: string, start: number, end: number, taken: number): boolean {
  const before = text.slice(Math.max(taken, start - 60), start);
  const after = text.slice(end, end + 60);
  // (0, 2280622851300419, -55)
  if (/[([{](?:-?\d{1,20}, ){1,9}$/.test(before) && /^, -?\d/.test(after)) return true;
  return /^\d{4}[ -]/.test(text.slice(start, end)) && isAmongCodes(text.slice(start, end), before, after);
}

/**
 * Whether groups of four are a part of a row of codes, as in tables of characters: some of them have letters
 * (`51F3 51F4 5280`), or they are close to each other (`5280 5281 5282 5283 5284`), or five of the row are, or four codes in ascending order
 * lead to the first one.
 */
function isAmongCodes(found: string, before: string, after: string): boolean {
  const codesBefore = /(?:(?<![\w.])[\dA-F]{4}[ -]){1,8}$/.exec(before)?.[0].slice(0, -1).split(/[ -]/) ?? [];
  const codesBehind = /^(?:[ -][\dA-F]{4}(?!\w)){1,8}/.exec(after)?.[0].slice(1).split(/[ -]/) ?? [];
  const neighbours = [...codesBefore, ...codesBehind];
  if (neighbours.length === 0) return false;
  if (neighbours.filter((code) => /[A-F]/.test(code) && /\d/.test(code)).length >= 2) return true;
  const groups = found.split(/[ -]/);
  const isClose = new Set(groups.map((group) => group.slice(0, 2))).size === 1 && new Set(groups).size > 1;
  const alike = Map.groupBy(new Set([...neighbours, ...groups]), (code) => code.slice(0, 2));
  if ([...alike.values()].some(({ length }) => length >= 5)) return true;
  const leading = [...codesBefore.slice(-4), groups[0] ?? ''];
  const ascends = leading.every((code, at) => at === 0 || (leading[at - 1] ?? '') < code);
  return isClose || (leading.length === 5 && ascends);
}
