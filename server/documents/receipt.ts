import type { DocumentFormat } from './formats.ts';

export type PageKind = 'page' | 'slide' | 'sheet';

/** What went into the text of a document, and what did not. */
export type DocumentReceipt = {
  /** Told by the bytes, not by the name. */
  format: DocumentFormat;
  title: string | null;
  /** What the format counts; null for one without pages, and then so are the counts. */
  pageKind: PageKind | null;
  pagesIn: number | null;
  /** Those with text. */
  pagesOut: number | null;
  /** Code points of the Markdown. */
  characters: number;
  tables: number;
  /** Pictures and charts, whose content is not in the text. */
  images: number;
  /** What was left out or looks wrong, in plain words. */
  warnings: string[];
};

/** Where a page stands in the Markdown, in UTF-16 code units. */
export type PageSpan = { number: number; start: number; end: number };

/** Why there is no text. */
export type DocumentProblem = { code: ProblemCode; message: string };

export type ProblemCode =
  | 'UNSUPPORTED_FORMAT'
  | 'ENCRYPTED'
  | 'NO_TEXT'
  | 'DAMAGED'
  | 'TOO_LARGE'
  | 'TIMED_OUT'
  | 'OUT_OF_MEMORY'
  | 'READER_CRASHED';

/** What became of a document. Markdown is UTF-8, so that large texts stay outside of the heap. */
export type DocumentResult =
  | { kind: 'read'; markdown: Uint8Array; pages: PageSpan[]; receipt: DocumentReceipt }
  | { kind: 'failed'; problem: DocumentProblem; receipt: DocumentReceipt | null }
  /** Its bytes are not those that were stored, or can't be had: whatever they hold, it is not the document. */
  | { kind: 'damaged' };

/** A document that can't be read, thrown by a reader. */
export class DocumentFailure extends Error {
  override readonly name = 'DocumentFailure';
  readonly code: ProblemCode;
  readonly receipt: DocumentReceipt | null;
  constructor(code: ProblemCode, message: string, options: { cause?: unknown; receipt?: DocumentReceipt } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.receipt = options.receipt ?? null;
  }
}

/** Bounds on one document, beside those of the process that reads it. */
export type DocumentLimits = {
  /** Of the file. */
  maxFileBytes: number;
  /** Of what a ZIP-based format unpacks to. */
  maxUnpackedBytes: number;
  maxEntries: number;
  /** Of the Markdown; `maxTextRatio` allows for so many times the size of the file, and a mebibyte more. */
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
