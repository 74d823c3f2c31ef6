import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import { isText, type PageItem } from './table-text.ts';

/** The combining form of accents that are separate glyphs. */
const combining: Readonly<Record<string, string>> = {
  '`': '\u0300',
  ˋ: '\u0300',
  '´': '\u0301',
  ˆ: '\u0302',
  '˜': '\u0303',
  '¯': '\u0304',
  '˘': '\u0306',
  '˙': '\u0307',
  '¨': '\u0308',
  '˚': '\u030a',
  '˝': '\u030b',
  ˇ: '\u030c',
  '¸': '\u0327',
  '˛': '\u0328',
};

/**
 * Combines accents with their letters: TeX's older fonts have no accented letters, so TeX draws the accent, moves back
 * and draws the letter. An accent that does not overlap the following letter stays as it is.
 */
export function composeAccents(items: readonly PageItem[]): PageItem[] {
  const composed: PageItem[] = [];
  /** Index of the last item with text. */
  let last = -1;
  for (const item of items) {
    const before = composed[last];
    const pair = before !== undefined && isText(before) && isText(item) ? composePair(before, item) : undefined;
    if (pair !== undefined) composed[last] = pair[0];
    if (isText(item) && item.str !== '') last = composed.length;
    composed.push(pair?.[1] ?? item);
  }
  return composed;
}

function composePair(before: TextItem, item: TextItem): [before: TextItem, item: TextItem] | undefined {
  const accent = combining[before.str.at(-1) ?? ''];
  const [letter = ''] = item.str;
  if (accent === undefined || !/\p{L}/u.test(letter)) return undefined;
  const [size = 0, , , , left = 0, baseline = 0] = item.transform as number[];
  const [, turned = 0, , , start = 0, raised = 0] = before.transform as number[];
  const overlap = start + before.width - left;
  const isOnLetter =
    turned === 0 && overlap > 0.15 * size && overlap < size && Math.abs(raised - baseline) < 0.5 * size;
  const character = ((dotted[letter] ?? letter) + accent).normalize('NFC');
  // Leaves letters that have no form with this accent.
  if (!isOnLetter || [...character].length !== 1) return undefined;
  return [
    { ...before, str: before.str.slice(0, -1), width: Math.max(0, before.width - overlap) },
    { ...item, str: character + item.str.slice(letter.length) },
  ];
}

/** Dotless letters make room for an accent. */
const dotted: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };
