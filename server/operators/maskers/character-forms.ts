// Variants of the characters that numbers and addresses are written with: no-break and thin spaces, hyphens and dashes of
// typesetting, full-width characters, digits of other scripts, characters that nobody sees, and encodings of HTML, URLs
// and JSON.
import { decodeHTML } from 'entities';
import type { Masker } from './masker.ts';

/** Where the digits of each other script begin; each has ten, and all ranges are in the first plane. */
export const otherDigits = (
  '0660 06F0 07C0 0966 09E6 0A66 0AE6 0B66 0BE6 0C66 0CE6 0D66 0DE6 0E50 0ED0 0F20 1040 1090 17E0 1810 1946 19D0 1A80 1A90 ' +
  '1B50 1BB0 1C40 1C50 A620 A8D0 A900 A9D0 A9F0 AA50 ABF0 FF10'
)
  .split(' ')
  .map((start) => Number.parseInt(start, 16));
const unit = (code: number): string => String.raw`\u${code.toString(16).padStart(4, '0')}`;
const digitRanges = otherDigits.map((start) => `${unit(start)}-${unit(start + 9)}`).join('');
/** Zero-width and joining characters, soft hyphens, marks of direction, variation selectors, frames of digits. */
const unseen = String.raw`\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u20e3\ufe00-\ufe0f\ufeff`;
const spaces = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000`;
const dashes = String.raw`\u2010-\u2013\u2212\ufe58\ufe63\uff0d`;
const wide = String.raw`\ufe52\ufe6b\uff0b\uff0e\uff0f\uff20-\uff3a\uff3f\uff41-\uff5a`;
/** Letters and digits of mathematics. */
const mathematical = String.raw`\ud835[\udc00-\udfff]`;
const reference = String.raw`&(?:amp;){0,2}(?:#\d{2,7}|#[xX][\dA-Fa-f]{2,6}|[A-Za-z]{2,10});`;
const octet = String.raw`%[89ABab][\dA-Fa-f]`;
const percent = String.raw`%[0-7][\dA-Fa-f]|%[CDcd][\dA-Fa-f]${octet}|%[Ee][\dA-Fa-f](?:${octet}){2}|%[Ff][0-4](?:${octet}){3}`;
const escape = String.raw`\\u[\dA-Fa-f]{4}`;

const characters = String.raw`[${digitRanges}${unseen}${spaces}${dashes}${wide}]|${mathematical}`;
const encodings = new RegExp(`${reference}|${percent}|${escape}`);
const allForms = new RegExp(`${characters}|${encodings.source}`, 'g');
const allCharacters = new RegExp(`${characters}|${reference}|${escape}`, 'g');
const isUnseen = new RegExp(`^[${unseen}]$`);
const isDash = new RegExp(`^[${dashes}]$`);
const otherDigit = new RegExp(String.raw`[${digitRanges}]|\ud835[\udfce-\udfff]`);

/** Whether a text has a digit of any script: most searches are skipped for texts without any. */
export function hasDigit(text: string): boolean {
  return /\d/.test(text) || (hasOtherForms(text) && otherDigit.test(text));
}

/** Which UTF-16 units are a variant or begin one; a table takes a fifth of the time of the pattern on Chinese texts. */
const variants = new RegExp(String.raw`[${digitRanges}${unseen}${spaces}${dashes}${wide}\ud835]`);
const isVariant = Uint8Array.from({ length: 1 << 16 }, (_, code) =>
  code >= 0x80 && variants.test(String.fromCharCode(code)) ? 1 : 0,
);
/** Several maskers search the same text. */
let latest = { text: '', has: false };

function hasOtherForms(text: string): boolean {
  if (latest.text !== text) latest = { text, has: encodings.test(text) || hasVariant(text) };
  return latest.has;
}

function hasVariant(text: string): boolean {
  const from = text.search(/[\u0080-\uffff]/);
  if (from === -1) return false;
  for (let at = from; at < text.length; at += 1) if (isVariant[text.charCodeAt(at)] === 1) return true;
  return false;
}

// Placeholders for findings, as long as what they replace: no text needs these two noncharacters.
const first = '\ufdd0';
const further = '\ufdd1';
const hasNoncharacter = /[\ufdd0\ufdd1]/;
const noncharacters = /[\ufdd0\ufdd1]/g;
const marked = /\ufdd0\ufdd1*/g;

type Options = {
  /**
   * Whether a percent sign may belong to a finding, as to an address of the web: such texts are searched with their
   * percent signs first.
   */
  hasPercent: boolean;
};

/** Makes a masker also find what is written in variant forms of characters. */
export function inAllForms(mask: Masker, { hasPercent }: Options = { hasPercent: false }): Masker {
  const markFindings: Masker = (text) =>
    mask(text, (found) => (found === '' ? '' : first + further.repeat(found.length - 1)));
  const markUsual = (text: string, forms: RegExp): string => {
    const usual = usualTextOf(text, forms);
    const found = markFindings(usual.text, String);
    return found === usual.text ? text : withMarks(text, usual, found);
  };
  return (text, replace) => {
    if (!hasOtherForms(text)) return mask(text, replace);
    let rest = hasNoncharacter.test(text) ? text.replaceAll(noncharacters, '\ufffd') : text;
    if (hasPercent) rest = markUsual(rest, allCharacters);
    rest = markUsual(rest, allForms);
    // Searches the original text, too: a dash before a number is not its hyphen, and what nobody sees may separate.
    rest = markFindings(rest, String);
    let masked = '';
    let taken = 0;
    for (const { 0: mark, index } of rest.matchAll(marked)) {
      masked += text.slice(taken, index) + replace(text.slice(index, index + mark.length));
      taken = index + mark.length;
    }
    return taken === 0 ? text : masked + text.slice(taken);
  };
}

/** A finding in the usual form of its characters. */
export function inUsualForm(found: string): string {
  return hasOtherForms(found) ? usualTextOf(found, allForms).text : found;
}

/**
 * A text in usual characters. Its unit `at[i]` stands for the variant from `starts[i]` to `ends[i]` of the source, and those
 * after it for the units that follow there; several units may stand for one variant.
 */
type UsualText = { text: string; at: number[]; starts: number[]; ends: number[] };

function usualTextOf(source: string, forms: RegExp): UsualText {
  const usualText: UsualText = { text: '', at: [], starts: [], ends: [] };
  const { at, starts, ends } = usualText;
  let taken = 0;
  for (const { 0: found, index } of source.matchAll(forms)) {
    const usual = usualForm(found);
    usualText.text += source.slice(taken, index);
    taken = index + found.length;
    // What stands for one variant is one unit, or a sign of two of them.
    for (let count = 0; count < Math.max(1, usual.length); count += 1) {
      at.push(usualText.text.length + count);
      starts.push(usual === '' ? taken : index);
      ends.push(taken);
    }
    usualText.text += usual;
  }
  usualText.text += source.slice(taken);
  return usualText;
}

/** The place in the source of a unit of the usual text. */
function placeOf({ at, starts, ends }: UsualText, unitAt: number): { start: number; end: number } {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) <= unitAt) low = middle + 1;
    else high = middle;
  }
  const [known = -1, start = 0, end = 0] = low === 0 ? [] : [at[low - 1], starts[low - 1], ends[low - 1]];
  if (known === unitAt && start < end) return { start, end };
  const behind = low === 0 ? unitAt : end + unitAt - known - (start < end ? 1 : 0);
  return { start: behind, end: behind + 1 };
}

/** The usual form of a variant: never longer than the variant. */
function usualForm(found: string): string {
  const decoded = decodedForm(found);
  if (isUnseen.test(decoded)) return '';
  if (isDash.test(decoded)) return '-';
  const code = decoded.charCodeAt(0);
  const zero = decoded.length === 1 ? otherDigits.find((start) => start <= code && code < start + 10) : undefined;
  if (zero !== undefined) return String(code - zero);
  const usual = decoded.normalize('NFKC');
  if (/^[!-~]$/.test(usual)) return usual;
  return /^\p{Zs}$/u.test(decoded) ? ' ' : decoded;
}

function decodedForm(found: string): string {
  const decoded = decodedWhole(found);
  return decoded.length > found.length ? found : decoded;
}

function decodedWhole(found: string): string {
  if (found.startsWith('&')) return decodeHTML(found.replaceAll(/(?<=^&)(?:amp;)+(?=#|[A-Za-z])/g, ''));
  if (found.startsWith('\\')) return String.fromCharCode(Number.parseInt(found.slice(2), 16));
  if (!found.startsWith('%')) return found;
  try {
    return decodeURIComponent(found);
  } catch {
    return found;
  }
}

/** Copies the placeholders from the usual text to their places in the source. */
function withMarks(source: string, usual: UsualText, withFindings: string): string {
  let result = '';
  let taken = 0;
  for (const { 0: mark, index } of withFindings.matchAll(marked)) {
    const { start } = placeOf(usual, index);
    let { end } = placeOf(usual, index + mark.length - 1);
    // The frame of a digit and its selector belong to it.
    while (/[\ufe0e\ufe0f\u20e3]/.test(source.charAt(end))) end += 1;
    if (start < taken) continue;
    result += source.slice(taken, start) + first + further.repeat(end - start - 1);
    taken = end;
  }
  return result + source.slice(taken);
}
