import { AsyncLocalStorage } from 'node:async_hooks';

/** What is found out about a PDF while officeparser reads it, and it would not tell. */
export type PdfFindings = {
  /** Glyphs of the pages read so far, white space left out. */
  glyphs: number;
  /** Those whose font does not say which character they are: the text has a guess, or nothing, in their place. */
  unmappedGlyphs: number;
  /** Fonts whose encoding is of another language than their characters. */
  contradictoryFonts: number;
  /** Pieces of text in fonts that can't be read: they are missing. */
  lostTexts: number;
};

/** The findings of the reading under way: officeparser stands between those who read and those who find. */
const current = new AsyncLocalStorage<PdfFindings>();

export function createFindings(): PdfFindings {
  return { glyphs: 0, unmappedGlyphs: 0, contradictoryFonts: 0, lostTexts: 0 };
}

/** Has whatever `read` opens with pdf.js noted in `findings`. */
export function withFindings<T>(findings: PdfFindings, read: () => Promise<T>): Promise<T> {
  return current.run(findings, read);
}

export function currentFindings(): PdfFindings {
  return current.getStore() ?? createFindings();
}
