import { AsyncLocalStorage } from 'node:async_hooks';
import type { TableText } from './table-text.ts';

/** Facts about a PDF that officeparser does not report, collected during reading. */
export type PdfFindings = {
  /** Number of glyphs on the pages read so far, without white space. */
  glyphs: number;
  /** Glyphs whose font does not map them to a character: the text has a guess, or nothing, in their place. */
  unmappedGlyphs: number;
  /** Fonts whose encoding is for a different language than their characters. */
  contradictoryFonts: number;
  /** Texts in unreadable fonts, which are missing. */
  lostTexts: number;
  /** Letters in the text of the pages read so far. */
  letters: number;
  /** Ruled tables of the pages read so far, by page; in the text, a mark replaces each. */
  readonly tables: Map<number, TableText[]>;
};

/** The findings of the current read; officeparser, which is between the caller and pdf.js, can't pass them on. */
const current = new AsyncLocalStorage<PdfFindings>();

export function createFindings(): PdfFindings {
  return { glyphs: 0, unmappedGlyphs: 0, contradictoryFonts: 0, lostTexts: 0, letters: 0, tables: new Map() };
}

/** Collects pdf.js's findings in `findings` while `read` runs. */
export function withFindings<T>(findings: PdfFindings, read: () => Promise<T>): Promise<T> {
  return current.run(findings, read);
}

export function currentFindings(): PdfFindings {
  return current.getStore() ?? createFindings();
}
