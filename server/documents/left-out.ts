import type { Sentence } from '../kernel/sentences/index.ts';

/** What a document has that is neither text nor table of the result. */
export const leftOutKinds = [
  'ATTACHMENT',
  'CHAPTER',
  'CHART',
  'COMMENT',
  'DELETED_TEXT',
  'FORM',
  'FORM_FIELD',
  'FORMULA',
  'HEAD_OR_FOOT',
  'HIDDEN_TEXT',
  'LETTERS',
  'LINKS',
  'MENU',
  'OBJECT',
  'OTHER',
  'PAGE',
  'PAGE_WITHOUT_TEXT',
  'PART',
  'PICTURE',
  'SIDE_COLUMN',
  'SYMBOL',
] as const;

export type LeftOutKind = (typeof leftOutKinds)[number];

/** `count`: how many; characters of DELETED_TEXT and LETTERS. `page`: its number, if it is on a page that is known. */
export type LeftOutPart = { kind: LeftOutKind; count: number; page: number | null };

/** Characters that could not be decoded, in whose place U+FFFD stands: how many, and the first places, from 1. */
export type Replaced = { count: number; places: number[] };

/** The kind of each warning about something left out, by its code; what it counts is `count`, else one. */
const kinds: Readonly<Record<string, LeftOutKind>> = {
  ANNOTATIONS_UNREADABLE: 'OBJECT',
  ATTACHMENT_NOT_READ: 'ATTACHMENT',
  CHAPTER_ENCRYPTED: 'CHAPTER',
  CHAPTER_MISSING: 'CHAPTER',
  CHART_LEFT_OUT: 'CHART',
  CHARTS_LEFT_OUT: 'CHART',
  COMMENT_LEFT_OUT: 'COMMENT',
  COMMENTS_LEFT_OUT: 'COMMENT',
  CONDITIONAL_TEXT_LEFT_OUT: 'HIDDEN_TEXT',
  DELETED_TEXT_LEFT_OUT: 'DELETED_TEXT',
  END_MISSING: 'PART',
  FORMS_LEFT_OUT: 'FORM',
  FORM_IN_XFA: 'FORM',
  FORMULA_EMPTY: 'FORMULA',
  FORMULAS_EMPTY: 'FORMULA',
  HEADS_LEFT_OUT: 'HEAD_OR_FOOT',
  LETTERS_MISSING: 'LETTERS',
  LINK_LISTS_LEFT_OUT: 'LINKS',
  MENUS_LEFT_OUT: 'MENU',
  OBJECT_LEFT_OUT: 'OBJECT',
  OTHER_PARTS_LEFT_OUT: 'OTHER',
  PAGE_BLANK: 'PAGE_WITHOUT_TEXT',
  PAGE_NO_CONTENT: 'PAGE',
  PAGE_UNREADABLE: 'PAGE',
  PAGES_BLANK: 'PAGE_WITHOUT_TEXT',
  PAGES_NO_CONTENT: 'PAGE',
  PAGES_UNREADABLE: 'PAGE',
  PART_CUT: 'PART',
  PASSWORDS_LEFT_OUT: 'FORM_FIELD',
  PICTURE_LEFT_OUT: 'PICTURE',
  PICTURES_LEFT_OUT: 'PICTURE',
  RUNNING_LINE_LEFT_OUT: 'HEAD_OR_FOOT',
  RUNNING_LINES_LEFT_OUT: 'HEAD_OR_FOOT',
  SHEET_BLANK: 'PAGE_WITHOUT_TEXT',
  SHEET_NO_CONTENT: 'PAGE',
  SHEET_UNREADABLE: 'PAGE',
  SHEETS_BLANK: 'PAGE_WITHOUT_TEXT',
  SHEETS_NO_CONTENT: 'PAGE',
  SHEETS_UNREADABLE: 'PAGE',
  SIDE_COLUMNS_LEFT_OUT: 'SIDE_COLUMN',
  SLIDE_BLANK: 'PAGE_WITHOUT_TEXT',
  SLIDE_NO_CONTENT: 'PAGE',
  SLIDE_UNREADABLE: 'PAGE',
  SLIDES_BLANK: 'PAGE_WITHOUT_TEXT',
  SLIDES_NO_CONTENT: 'PAGE',
  SLIDES_UNREADABLE: 'PAGE',
  SYMBOLS_UNKNOWN: 'SYMBOL',
  TEXT_MISSING: 'PART',
  TEXT_MISSING_ONCE: 'PART',
};

/** What the warnings of a receipt say is left out: one entry per kind, and one per page where the page is known. */
export function leftOutOf(warnings: readonly (Sentence | null)[]): LeftOutPart[] {
  const found = new Map<string, LeftOutPart>();
  const add = (sentence: Sentence, times: number): void => {
    const { code, params } = sentence;
    if (code === 'REPEATED') {
      const { warning, count } = params;
      if (isSentence(warning)) add(warning, times * Number(count));
      return;
    }
    const kind = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
    if (kind === undefined) return;
    const page = typeof params['number'] === 'number' ? params['number'] : null;
    const count = times * (numberOf(params['count']) ?? listed(params['numbers']) ?? 1);
    const key = `${kind} ${page}`;
    const before = found.get(key)?.count ?? 0;
    found.set(key, { kind, count: before + count, page });
  };
  for (const warning of warnings) if (warning !== null) add(warning, 1);
  return [...found.values()];
}

/** The characters that could not be decoded, as the warnings of a receipt say; null if there are none. */
export function replacedOf(warnings: readonly (Sentence | null)[]): Replaced | null {
  const warning = warnings.find((one) => one?.code === 'CHARACTERS_REPLACED');
  if (warning === null || warning === undefined) return null;
  const { count, places } = warning.params;
  const numbers = typeof places === 'string' ? places.match(/\d+/g) : null;
  return { count: numberOf(count) ?? 0, places: (numbers ?? []).map(Number) };
}

/** Codes of warnings that name something left out. */
export const leftOutCodes: ReadonlySet<string> = new Set(Object.keys(kinds));

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The number of pages in a list such as `3–5, 9 (4)`. */
function listed(value: unknown): number | undefined {
  const count = typeof value === 'string' ? /\((\d+)\)$/.exec(value)?.[1] : undefined;
  return count === undefined ? undefined : Number(count);
}

function isSentence(value: unknown): value is Sentence {
  return typeof value === 'object' && value !== null && 'code' in value && 'params' in value;
}
