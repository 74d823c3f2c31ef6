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
  /** Texts of annotations by page, where tags describe the page: they are in none of them. */
  readonly untagged: Map<number, string[]>;
  /** Comments and other marks with text, which are left out. */
  comments: number;
  /** Names of files attached to the document or to a page. */
  readonly attachments: Set<string>;
  /** Length of text in layers that are off, and of hidden values. */
  hiddenCharacters: number;
  /** Values of fields for passwords, which are left out. */
  passwords: number;
  /** Pages whose annotations could not be read, or not all of them. */
  brokenAnnotations: number;
  hasXfa: boolean;
  /** Names of the layers that are off. */
  readonly hiddenLayers: Set<string>;
  /** Ruled tables of the pages read so far, by page; in the text, a mark replaces each. */
  readonly tables: Map<number, TableText[]>;
};

/** The findings of the current read; officeparser, which is between the caller and pdf.js, can't pass them on. */
const current = new AsyncLocalStorage<PdfFindings>();

export function createFindings(): PdfFindings {
  return {
    glyphs: 0,
    unmappedGlyphs: 0,
    contradictoryFonts: 0,
    lostTexts: 0,
    letters: 0,
    untagged: new Map(),
    comments: 0,
    attachments: new Set(),
    hiddenCharacters: 0,
    passwords: 0,
    brokenAnnotations: 0,
    hasXfa: false,
    hiddenLayers: new Set(),
    tables: new Map(),
  };
}

/** Collects pdf.js's findings in `findings` while `read` runs. */
export function withFindings<T>(findings: PdfFindings, read: () => Promise<T>): Promise<T> {
  return current.run(findings, read);
}

export function currentFindings(): PdfFindings {
  return current.getStore() ?? createFindings();
}
