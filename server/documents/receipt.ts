import { ReasonedError } from '../kernel/reasoned-error.ts';
import { documentProblems, storedSentences, type Reason, type Sentence } from '../kernel/sentences/index.ts';
import type { DocumentFormat } from './formats.ts';
import { leftOutOf, replacedOf, type LeftOutPart, type Replaced } from './left-out.ts';

export type PageKind = 'page' | 'slide' | 'sheet';

/** How much of a document is in its text, and what was left out. */
export type DocumentReceipt = {
  /** Detected from the bytes, not the name. */
  format: DocumentFormat;
  title: string | null;
  /** The unit that the format counts; null for a format without pages, for which the counts are null, too. */
  pageKind: PageKind | null;
  pagesIn: number | null;
  /** Number of pages with text. */
  pagesOut: number | null;
  /** Number of code points in the Markdown. */
  characters: number;
  tables: number;
  /** Number of images and charts; their content is not in the text. */
  images: number;
  /** What was left out or looks wrong, in plain words. */
  warnings: string[];
  /** Code and values of each warning; missing in receipts that an earlier release stored. */
  warningSentences?: (Sentence | null)[];
  /** What is neither text nor table of the result; missing in receipts that an earlier release stored. */
  leftOut?: LeftOutPart[];
  /** Characters that could not be decoded; null for none. */
  replaced?: Replaced | null;
};

/**
 * Which part of an HTML page is read: all of it, or its main content without menus, headers, footers and link lists.
 */
export type DocumentPart = 'WHOLE' | 'MAIN_CONTENT';

/** Range of a page in the Markdown, in UTF-16 code units. */
export type PageSpan = { number: number; start: number; end: number };

type Warned = Pick<DocumentReceipt, 'warnings' | 'warningSentences' | 'leftOut' | 'replaced'>;
type WithSentences = Required<Pick<DocumentReceipt, 'warningSentences' | 'leftOut' | 'replaced'>>;

/** A receipt with the sentences of its warnings and what they say is left out, which one of an earlier release lacks. */
export function withSentences<T extends Warned>(receipt: T | null): (T & WithSentences) | null {
  return receipt === null ? null : { ...receipt, ...sentencesOf(receipt) };
}

export function sentencesOf({ warnings, warningSentences: stored, leftOut, replaced }: Warned): WithSentences {
  const warningSentences = storedSentences(warnings, stored);
  return {
    warningSentences,
    leftOut: leftOut ?? leftOutOf(warningSentences),
    replaced: replaced === undefined ? replacedOf(warningSentences) : replaced,
  };
}

/** Why there is no text. */
export type DocumentProblem = { code: ProblemCode; reason: Reason };

/** The reason with its code in front, as ledgers show it. */
export function reasonOfProblem({ code, reason: why }: DocumentProblem): Reason {
  return documentProblems[code].reason({ why });
}

export type ProblemCode =
  | 'UNSUPPORTED_FORMAT'
  | 'ENCRYPTED'
  | 'NO_TEXT'
  | 'DAMAGED'
  | 'TOO_LARGE'
  | 'TIMED_OUT'
  | 'OUT_OF_MEMORY'
  | 'READER_CRASHED';

/** The result for a document. Markdown is UTF-8 bytes, which keeps large texts outside the heap. */
export type DocumentResult =
  | { kind: 'read'; markdown: Uint8Array; pages: PageSpan[]; receipt: DocumentReceipt }
  | { kind: 'failed'; problem: DocumentProblem; receipt: DocumentReceipt | null }
  /** The bytes differ from those stored, or can't be read. */
  | { kind: 'damaged' };

/** A document that can't be read, thrown by a reader. */
export class DocumentFailure extends ReasonedError {
  override readonly name = 'DocumentFailure';
  readonly code: ProblemCode;
  readonly receipt: DocumentReceipt | null;
  constructor(code: ProblemCode, reason: Reason, options: { cause?: unknown; receipt?: DocumentReceipt } = {}) {
    super(reason, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.receipt = options.receipt ?? null;
  }
}

/** Limits for one document, besides those of the process that reads it. */
export type DocumentLimits = {
  /** Size of the file. */
  maxFileBytes: number;
  /** Total unpacked size of a ZIP-based format. */
  maxUnpackedBytes: number;
  maxEntries: number;
  /** Size of the Markdown; `maxTextRatio` allows this multiple of the file's size, plus one mebibyte. */
  maxTextBytes: number;
  maxTextRatio: number;
};

export const documentLimits: DocumentLimits = {
  maxFileBytes: 256 << 20,
  maxUnpackedBytes: 512 << 20,
  maxEntries: 10_000,
  maxTextBytes: 64 << 20,
  maxTextRatio: 64,
};
