import type { WholeText } from '../encodings/decoded-text.ts';
import type { SentenceFactory } from '../kernel/sentence-catalogue.ts';
import { documentProblems as problems, type Reason } from '../kernel/sentences/index.ts';
import type { DocumentFormat } from './formats.ts';
import { leftOutOf, replacedOf } from './left-out.ts';
import { DocumentFailure, type DocumentLimits, type DocumentReceipt, type PageKind, type PageSpan } from './receipt.ts';

/** A document's Markdown while it is being built, and the data for its receipt. */
export type Draft = {
  readonly format: DocumentFormat;
  /** Size that the Markdown may have. */
  readonly maxTextBytes: number;
  /** Number of pages that the document declares, if more than were read. */
  pagesIn: number;
  /** Numbers of the pages that could not be opened. */
  readonly unreadable: Set<number>;
  title: string | null;
  tables: number;
  images: number;
  charts: number;
  /** Number of comments by reviewers. */
  comments: number;
  /** Length of text that is in the result though the document hides it. */
  hiddenCharacters: number;
  /** Length of text that tracked changes delete, which is left out. */
  deletedCharacters: number;
  /** Lines that repeat on every page and are left out of the text. */
  runningLines: number;
  /** Adds text that is on no page. Throws DocumentFailure TOO_LARGE. */
  append(text: string): void;
  /** Adds a page; one without text is recorded as blank. */
  appendPage(text: string, number?: number): void;
  /** Adds a warning; repetitions are counted. */
  warn(warning: Reason): void;
  /** Takes the text of a part of the document, and warns if its encoding is a guess. */
  takeText(whole: WholeText): string;
  /** Throws DocumentFailure NO_TEXT, with the receipt, if the text is only white space. */
  finish(): { markdown: string; pages: PageSpan[]; receipt: DocumentReceipt };
};

const pageKinds: Partial<Record<DocumentFormat, PageKind>> = {
  pdf: 'page',
  pptx: 'slide',
  odp: 'slide',
  xlsx: 'sheet',
  ods: 'sheet',
};

/** Maximum number of warnings: users read them, and more would only repeat the same kinds of problem. */
const maxWarnings = 20;

/** Starts the draft of a document of this size. */
export function createDraft(format: DocumentFormat, sizeBytes: number, limits: DocumentLimits): Draft {
  const maxTextBytes = Math.min(limits.maxTextBytes, (1 << 20) + limits.maxTextRatio * sizeBytes);
  const pageKind = pageKinds[format] ?? null;
  const parts: string[] = [];
  const pages: PageSpan[] = [];
  const warnings = new Map<string, { warning: Reason; times: number }>();
  const blank: number[] = [];
  let length = 0;
  let textBytes = 0;
  let pagesSeen = 0;

  function add(text: string): { start: number; end: number } {
    const gap = length === 0 ? '' : '\n\n';
    textBytes += gap.length + Buffer.byteLength(text);
    if (textBytes > maxTextBytes) {
      throw new DocumentFailure('TOO_LARGE', problems.TEXT_OVER_LIMIT.reason({ limit: maxTextBytes }));
    }
    const start = length + gap.length;
    parts.push(gap, text);
    length = start + text.length;
    return { start, end: length };
  }

  const draft: Draft = {
    format,
    maxTextBytes,
    pagesIn: 0,
    unreadable: new Set(),
    title: null,
    tables: 0,
    images: 0,
    charts: 0,
    comments: 0,
    hiddenCharacters: 0,
    deletedCharacters: 0,
    runningLines: 0,
    append(text) {
      if (text !== '') add(text);
    },
    appendPage(text, number) {
      pagesSeen += 1;
      if (text === '') blank.push(number ?? pagesSeen);
      else pages.push({ number: number ?? pagesSeen, ...add(text) });
    },
    warn(warning) {
      warnings.set(warning.text, { warning, times: (warnings.get(warning.text)?.times ?? 0) + 1 });
    },
    takeText({ text, encoding, isGuess, contradicted }) {
      if (isGuess) {
        const values = { encoding: encoding.toUpperCase() };
        draft.warn(
          contradicted === undefined
            ? problems.ENCODING_GUESSED_OF_TEXT.reason(values)
            : problems.ENCODING_CONTRADICTED.reason({ ...values, declared: contradicted }),
        );
      }
      return text;
    },
    finish() {
      const markdown = parts.join('');
      const pagesIn = pageKind === null ? null : Math.max(draft.pagesIn, pagesSeen);
      const missing = (pagesIn ?? 0) - pagesSeen - draft.unreadable.size;
      const found = [
        ...(pageKind === null || blank.length === 0 ? [] : [describeBlank(pageKind, blank)]),
        ...(pageKind === null || draft.unreadable.size === 0
          ? []
          : [describeUnreadable(pageKind, [...draft.unreadable])]),
        ...(pageKind === null || missing === 0 ? [] : [describeMissing(pageKind, missing, pagesIn ?? 0)]),
        ...describeLeftOut(draft),
        ...describeReplaced(markdown),
        ...[...warnings.values()].map(({ warning, times }) =>
          times === 1 ? warning : problems.REPEATED.reason({ warning, count: times }),
        ),
      ];
      const listed =
        found.length <= maxWarnings
          ? found
          : [...found.slice(0, maxWarnings), problems.MORE_WARNINGS.reason({ count: found.length - maxWarnings })];
      const receipt: DocumentReceipt = {
        format,
        title: draft.title,
        pageKind,
        pagesIn,
        pagesOut: pageKind === null ? null : pages.length,
        characters: countCodePoints(markdown),
        tables: draft.tables,
        images: draft.images + draft.charts,
        warnings: listed.map(({ text }) => text),
        warningSentences: listed.map(({ sentence }) => sentence),
        leftOut: leftOutOf(found.map(({ sentence }) => sentence)),
        replaced: replacedOf(found.map(({ sentence }) => sentence)),
      };
      if (markdown.trim() === '') throw withoutText(receipt, draft.unreadable.size);
      return { markdown, pages, receipt };
    },
  };
  return draft;
}

function withoutText(receipt: DocumentReceipt, unreadable: number): DocumentFailure {
  const { pageKind, pagesIn, images } = receipt;
  if (unreadable > 0) {
    const [one, several] =
      pagesIn === null || pagesIn === unreadable
        ? [problems.PAGE_UNREADABLE_ALL, problems.PAGES_UNREADABLE_ALL]
        : [problems.PAGE_UNREADABLE_REST, problems.PAGES_UNREADABLE_REST];
    return new DocumentFailure('DAMAGED', (unreadable === 1 ? one : several).reason({ count: unreadable }), {
      receipt,
    });
  }
  const isPaged = pageKind === 'page' && pagesIn !== null && pagesIn > 0;
  const { PAGE_WITHOUT_TEXT, PAGES_WITHOUT_TEXT, NO_TEXT_BUT_PICTURE, NO_TEXT_IN_IT } = problems;
  if (isPaged) {
    const reason = (pagesIn === 1 ? PAGE_WITHOUT_TEXT : PAGES_WITHOUT_TEXT).reason({ pages: pagesIn });
    return new DocumentFailure('NO_TEXT', reason, { receipt });
  }
  const reason =
    images > 0 ? NO_TEXT_BUT_PICTURE.reason({ pictures: count(images, 'picture') }) : NO_TEXT_IN_IT.reason({});
  return new DocumentFailure('NO_TEXT', reason, { receipt });
}

const sentencesOfKind = {
  page: {
    blank: [problems.PAGE_BLANK, problems.PAGES_BLANK],
    unreadable: [problems.PAGE_UNREADABLE, problems.PAGES_UNREADABLE],
    missing: [problems.PAGE_NO_CONTENT, problems.PAGES_NO_CONTENT],
  },
  slide: {
    blank: [problems.SLIDE_BLANK, problems.SLIDES_BLANK],
    unreadable: [problems.SLIDE_UNREADABLE, problems.SLIDES_UNREADABLE],
    missing: [problems.SLIDE_NO_CONTENT, problems.SLIDES_NO_CONTENT],
  },
  sheet: {
    blank: [problems.SHEET_BLANK, problems.SHEETS_BLANK],
    unreadable: [problems.SHEET_UNREADABLE, problems.SHEETS_UNREADABLE],
    missing: [problems.SHEET_NO_CONTENT, problems.SHEETS_NO_CONTENT],
  },
} as const;

/** `page 3 has no text (scanned?)`, `slides 3–5, 9 (4) have no text`. */
function describeBlank(kind: PageKind, numbers: readonly number[]): Reason {
  const [one, several] = sentencesOfKind[kind].blank;
  return describePages(numbers, one, several);
}

function describeUnreadable(kind: PageKind, numbers: readonly number[]): Reason {
  const [one, several] = sentencesOfKind[kind].unreadable;
  return describePages(numbers, one, several);
}

function describePages(
  numbers: readonly number[],
  one: SentenceFactory<{ number: string | number }>,
  several: SentenceFactory<{ numbers: string | number }>,
): Reason {
  const [number = 0] = numbers;
  return numbers.length === 1 ? one.reason({ number }) : several.reason({ numbers: listNumbers(numbers) });
}

function describeMissing(kind: PageKind, count: number, all: number): Reason {
  const [one, several] = sentencesOfKind[kind].missing;
  return (count === 1 ? one : several).reason({ count, all });
}

function describeLeftOut({
  images,
  charts,
  comments,
  runningLines,
  hiddenCharacters,
  deletedCharacters,
}: Draft): Reason[] {
  const kinds = [
    [images, problems.PICTURE_LEFT_OUT, problems.PICTURES_LEFT_OUT],
    [charts, problems.CHART_LEFT_OUT, problems.CHARTS_LEFT_OUT],
    [comments, problems.COMMENT_LEFT_OUT, problems.COMMENTS_LEFT_OUT],
    [runningLines, problems.RUNNING_LINE_LEFT_OUT, problems.RUNNING_LINES_LEFT_OUT],
    [deletedCharacters, problems.DELETED_TEXT_LEFT_OUT, problems.DELETED_TEXT_LEFT_OUT],
    [hiddenCharacters, problems.TEXT_HIDDEN, problems.TEXT_HIDDEN],
  ] as const;
  return kinds.flatMap(([count, one, several]) =>
    count === 0 ? [] : [(count === 1 ? one : several).reason({ count })],
  );
}

/** Further places are not listed. */
const maxPlaces = 5;

/** A warning about the characters of a text that could not be decoded, by their places in it. */
export function describeReplaced(text: string): Reason[] {
  const places: number[] = [];
  let count = 0;
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', at + 1)) {
    count += 1;
    if (places.length < maxPlaces) places.push(at + 1);
  }
  if (count === 0) return [];
  const more = count > places.length ? ' …' : '';
  return [problems.CHARACTERS_REPLACED.reason({ count, places: `${places.join(', ')}${more}` })];
}

/** `3–5, 9 (4)`. */
function listNumbers(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last.to + 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  const shown = ranges.slice(0, 10).map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  const more = ranges.length > shown.length ? ' …' : '';
  return `${shown.join(', ')}${more} (${numbers.length})`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function countCodePoints(text: string): number {
  let points = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) points -= 1;
  }
  return points;
}
