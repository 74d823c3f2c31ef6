import { jsonrepair } from 'jsonrepair';

/** What had to be changed so that a reply became JSON. */
export const mendings = [
  'CODE_FENCE',
  'TEXT_AROUND',
  'TRAILING_COMMA',
  'COMMENT',
  'LINE_END_IN_STRING',
  'QUOTES',
  'SYNTAX',
  'LIST_OF_ONE',
  'JSON_IN_STRING',
] as const;

export type Mending = (typeof mendings)[number];

/** Longer replies are not mended: a model was asked for one record. */
const maxLength = 1_000_000;

/**
 * Mends a text that is almost JSON; undefined if it is not JSON at all, or was cut off: what is missing must not be
 * made up. A mended text has the brackets of the original.
 */
export function mendJson(text: string): { json: string; mended: Mending[] } | undefined {
  if (text.length > maxLength || !/^[[{]/.test(text) || hasForeignEscape(text)) return undefined;
  let json: string;
  try {
    json = jsonrepair(text);
  } catch {
    return undefined;
  }
  if (bracketsOf(json) !== bracketsOf(text)) return undefined;
  const mended = differencesOf(text);
  return mended === undefined ? undefined : { json, mended };
}

/**
 * Whether a backslash stands for itself, as in `$\alpha$` and `C:\dir`: nobody knows then which others do, such as that of
 * `\theta`.
 */
function hasForeignEscape(text: string): boolean {
  for (const [escape] of text.matchAll(/\\[^]/g)) if (!/["'\\/bfnrtu\n]/.test(escape.slice(1))) return true;
  return false;
}

/** The brackets of a text in order, wherever they stand. */
function bracketsOf(text: string): string {
  return text.replaceAll(/[^[\]{}]+/g, '');
}

/** Quotation marks that models write around strings, each with its end. */
const quotes = new Map([
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['\u2018', '\u2019'],
  ['\u201c', '\u201d'],
  ['\u00b4', '\u00b4'],
]);

/** Names what keeps a text from being JSON; undefined if it leaves something out with `...`. */
function differencesOf(text: string): Mending[] | undefined {
  const found = new Set<Mending>();
  const checked = new Set<string>();
  /** The last character that is neither white space nor part of a comment. */
  let last = '';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (/\s/.test(character)) continue;
    if (text.startsWith('...', at) || character === '\u2026') return undefined;
    const comment = endOfComment(text, at);
    if (comment !== undefined) {
      found.add('COMMENT');
      at = comment - 1;
      continue;
    }
    if ((character === '}' || character === ']') && last === ',') found.add('TRAILING_COMMA');
    const bare = /^(?:-?\d[\d.eE+-]*|[\p{L}_$][\p{L}\p{N}_$]*)/u.exec(text.slice(at, at + maxBare))?.[0];
    if (bare !== undefined) {
      // They have no JSON, and would become texts.
      if (/^(?:NaN|Infinity|undefined)$/.test(bare)) return undefined;
      if (/^[^-\d]/.test(bare) && !/^(?:true|false|null)$/.test(bare)) found.add('SYNTAX');
      at += bare.length - 1;
      last = character;
      continue;
    }
    if (/[+(;]/.test(character)) found.add('SYNTAX');
    const closing = quotes.get(character);
    if (closing !== undefined) {
      if (character !== '"' && !checked.has(character)) {
        if (hasQuoteInText(text, character, closing)) return undefined;
        checked.add(character);
        found.add('QUOTES');
      }
      for (at += 1; at < text.length && text.charAt(at) !== closing; at++) {
        if (text.charAt(at) === '\\') at += 1;
        else if (text.charCodeAt(at) < 0x20) found.add('LINE_END_IN_STRING');
      }
    }
    last = character;
  }
  // Such as names without quotes, or True instead of true.
  if (found.size === 0) found.add('SYNTAX');
  return mendings.filter((mending) => found.has(mending));
}

/** Whether a mark that stands around strings also stands within one, as the apostrophe of `'it's'` does. */
function hasQuoteInText(text: string, opening: string, closing: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if ((character !== opening && character !== closing) || text.charAt(at - 1) === '\\') continue;
    const before = /\S(?=\s*$)/.exec(text.slice(Math.max(0, at - maxGap), at))?.[0] ?? '{';
    const after = /\S/.exec(text.slice(at + 1, at + 1 + maxGap))?.[0] ?? '}';
    if (!/[{[,:/]/.test(before) && !/[}\],:/]/.test(after)) return true;
  }
  return false;
}

/** White space between a quotation mark and what it stands beside. */
const maxGap = 200;
/** Longer words without quotation marks are no names. */
const maxBare = 200;

/** Where the comment at a position ends; undefined if there is none. */
function endOfComment(text: string, at: number): number | undefined {
  const isBlock = text.startsWith('/*', at);
  if (!isBlock && !text.startsWith('//', at)) return undefined;
  const end = isBlock ? text.indexOf('*/', at + 2) + 2 : text.indexOf('\n', at);
  return end < at ? text.length : end;
}
