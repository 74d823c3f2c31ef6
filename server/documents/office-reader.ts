import { documentProblems, foreign, type Reason } from '../kernel/sentences/index.ts';
import {
  OfficeWarningType,
  type OfficeContentNode,
  type OfficeError,
  type OfficeIssue,
  type OfficeParserAST,
} from 'officeparser';
import type { Draft } from './draft.ts';
import type { DocumentFormat } from './formats.ts';
import { completeOpenDocument } from './open-document.ts';
import { parseWithLibrary, plainWords } from './office-library.ts';
import { parsePage } from './html-reader.ts';
import { addTree } from './office-markdown.ts';
import { readBook } from './epub-reader.ts';
import { createFindings, withFindings, type PdfFindings } from './pdf/pdf-findings.ts';
import { preparePdfLibrary } from './pdf/pdf-resolution.ts';
import { unmarkShortTokens } from './pdf/short-tokens.ts';
import { placeTables } from './pdf/table-nodes.ts';
import { lettersOf, missingLetters } from './pdf/text-balance.ts';
import { DocumentFailure, type DocumentLimits, type ProblemCode } from './receipt.ts';
import { tellOfHiddenParts } from './hidden-parts.ts';
import { PackageProblem } from './package/package-problem.ts';
import { readPresentation } from './presentation-reader.ts';
import { readRtf } from './rtf-reader.ts';
import { readWord } from './word-reader.ts';
import { readWorkbookDocument } from './workbook-reader.ts';

/** Formats that officeparser reads. */
export type OfficeFormat = Exclude<DocumentFormat, 'eml' | 'html'>;

/** Pages of a PDF in memory at once; their layout is analysed together. */
const pagesAtOnce = 100;

/**
 * Converts an office document, PDF, e-book or web page to Markdown with officeparser, in this thread and without
 * images. Throws DocumentFailure.
 */
export async function readOffice(
  bytes: Uint8Array,
  format: OfficeFormat,
  limits: DocumentLimits,
  draft: Draft,
): Promise<void> {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(-2048).toString('latin1');
  if (endings[format]?.test(end) === false) draft.warn(documentProblems.END_MISSING.reason({}));
  try {
    if (format === 'pdf') await readPages(bytes, limits, draft);
    else if (format === 'xlsx') await readWorkbookDocument(bytes, draft);
    else if (format === 'pptx') await readPresentation(bytes, draft);
    else if (format === 'docx') await readWord(bytes, draft);
    else if (format === 'epub') await readBook(bytes, draft);
    else if (format === 'rtf') await readRtf(bytes, draft);
    else {
      const tree = await parse(bytes, format, limits, draft);
      await tellOfHiddenParts(bytes, format, draft);
      if (format === 'odt') await completeOpenDocument(bytes, tree.content, draft);
      if (format === 'odp') tree.content = tree.content.map(withoutFields);
      await addTree(draft, tree);
    }
  } catch (error) {
    throw toFailure(error);
  }
}

/** Reads the text of a web page. Throws DocumentFailure. */
export async function readPage(html: string, draft: Draft): Promise<void> {
  try {
    await addTree(draft, await parsePage(html, draft));
  } catch (error) {
    throw toFailure(error);
  }
}

/** LibreOffice writes `<number>` and the like for the fields in slide notes. */
const emptyField = /^<(?:number|date\/time|header|footer)>$/;

function withoutFields(slide: OfficeContentNode): OfficeContentNode {
  const notes = slide.notes?.map((note) => ({
    ...note,
    children: note.children?.filter(({ text = '' }) => !emptyField.test(text.trim())) ?? [],
  }));
  return notes === undefined ? slide : { ...slide, notes };
}

async function readPages(bytes: Uint8Array, limits: DocumentLimits, draft: Draft): Promise<void> {
  preparePdfLibrary();
  const findings = createFindings();
  let pages = pagesAtOnce;
  let mergedTables = 0;
  let letters = 0;
  for (let first = 1; first <= pages; first += pagesAtOnce) {
    const range = `${first}-${first + pagesAtOnce - 1}`;
    const tree = await withFindings(findings, () => parse(bytes, 'pdf', limits, draft, range));
    pages = tree.metadata.pages ?? tree.content.length;
    draft.pagesIn = pages;
    if (tree.warnings.some(({ code }) => code === OfficeWarningType.PAGE_LOAD_FAILED)) {
      noteMissing(tree, first, draft);
      if (draft.unreadable.has(pages)) noteLost(bytes, draft);
    }
    for (const page of tree.content) {
      const { pageNumber = 0 } = page.metadata as { pageNumber?: number };
      const tables = findings.tables.get(pageNumber) ?? [];
      unmarkShortTokens(page.children ?? []);
      page.children = placeTables(page.children ?? [], tables);
      for (const text of findings.untagged.get(pageNumber) ?? [])
        page.children.push({ type: 'paragraph', text, children: [{ type: 'text', text }] });
      findings.untagged.delete(pageNumber);
      mergedTables += tables.filter(({ isMerged }) => isMerged).length;
      findings.tables.delete(pageNumber);
    }
    const { headers = [], footers = [] } = tree.auxiliary ?? {};
    letters += lettersOf([...tree.content, ...headers, ...footers]);
    await addTree(draft, tree);
  }
  tellOfGlyphs(findings, draft);
  tellOfAttached(findings, draft);
  const missing = missingLetters(findings.letters, letters);
  if (missing > 0) draft.warn(documentProblems.LETTERS_MISSING.reason({ count: missing, all: findings.letters }));
  if (mergedTables === 1) draft.warn(documentProblems.TABLE_MERGED.reason({}));
  if (mergedTables > 1) draft.warn(documentProblems.TABLES_MERGED.reason({ count: mergedTables }));
}

/** Records the pages from `first` on that are missing in the tree because they could not be opened. */
function noteMissing({ content }: OfficeParserAST, first: number, { pagesIn, unreadable }: Draft): void {
  const read = new Set(content.map(({ metadata }) => (metadata as { pageNumber?: number }).pageNumber));
  const last = Math.min(pagesIn, first + pagesAtOnce - 1);
  for (let page = first; page <= last; page += 1) if (!read.has(page)) unreadable.add(page);
}

/**
 * Records the pages after a page that can't be opened. pdf.js stops listing pages there, but the file declares their
 * number, unless it does so in compressed objects.
 */
function noteLost(bytes: Uint8Array, draft: Draft): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  let declared = 0;
  for (const [object] of text.matchAll(/\bobj\s*<<[^<>]{0,2000}\/Type\s*\/Pages\b[^<>]{0,100000}>>/g)) {
    declared = Math.max(declared, Number(/\/Count\s+(\d{1,7})\b/.exec(object)?.[1] ?? 0));
  }
  if (declared === 0) draft.warn(documentProblems.PAGES_MAY_BE_MISSING.reason({ number: draft.pagesIn }));
  for (let page = draft.pagesIn + 1; page <= declared; page += 1) draft.unreadable.add(page);
  draft.pagesIn = Math.max(draft.pagesIn, declared);
}

function tellOfAttached(findings: PdfFindings, draft: Draft): void {
  const { attachments, comments, hiddenCharacters, hiddenLayers, passwords, brokenAnnotations, hasXfa } = findings;
  draft.comments += comments;
  draft.hiddenCharacters += hiddenCharacters;
  for (const name of attachments) draft.warn(documentProblems.ATTACHMENT_NOT_READ.reason({ name }));
  for (const layer of hiddenLayers) draft.warn(documentProblems.LAYER_OFF.reason({ layer }));
  if (passwords > 0) draft.warn(documentProblems.PASSWORDS_LEFT_OUT.reason({ count: passwords }));
  if (brokenAnnotations > 0) draft.warn(documentProblems.ANNOTATIONS_UNREADABLE.reason({}));
  if (hasXfa) draft.warn(documentProblems.FORM_IN_XFA.reason({}));
}

function tellOfGlyphs({ glyphs, unmappedGlyphs, contradictoryFonts, lostTexts }: PdfFindings, draft: Draft): void {
  if (unmappedGlyphs > 0) {
    draft.warn(documentProblems.CHARACTERS_UNCERTAIN.reason({ count: unmappedGlyphs, all: glyphs }));
  }
  if (lostTexts === 1) draft.warn(documentProblems.TEXT_MISSING_ONCE.reason({}));
  if (lostTexts > 1) draft.warn(documentProblems.TEXT_MISSING.reason({ count: lostTexts }));
  if (contradictoryFonts > 0) {
    draft.warn(documentProblems.FONT_CONTRADICTS.reason({}));
  }
}

async function parse(
  bytes: Uint8Array,
  format: OfficeFormat,
  { maxUnpackedBytes, maxEntries }: DocumentLimits,
  draft: Draft,
  pageRange = '',
): Promise<OfficeParserAST> {
  return parseWithLibrary(
    // A copy each time: pdf.js takes ownership of the buffer.
    Buffer.from(bytes),
    {
      fileType: format,
      ignoreInternalLinks: true,
      ignoreSlideMasters: true,
      ignorePageGeometry: true,
      decompressionLimits: { maxUncompressedBytes: maxUnpackedBytes, maxZipEntries: maxEntries },
      // This code already runs in a separate process with its own limits.
      pdfParserConfig: { separateProcess: false, extractTextColor: false, pageRange },
    },
    draft,
  );
}

/** How a complete file ends, for formats that are read as far as possible. */
const endings: Partial<Record<OfficeFormat, RegExp>> = { pdf: /%%EOF/, rtf: /\}[\s\0]*$/ };

const codes: readonly (readonly [pattern: RegExp, code: ProblemCode, reason?: Reason])[] = [
  [/^(?:PASSWORD_|DOCUMENT_DECRYPTION_FAILED)/, 'ENCRYPTED', documentProblems.NEEDS_PASSWORD.reason({})],
  [/^MAX_NESTING_DEPTH_EXCEEDED$/, 'TOO_LARGE', documentProblems.NESTED_TOO_DEEPLY.reason({})],
  [/LIMIT_EXCEEDED$|^OUTPUT_TOO_LARGE$/, 'TOO_LARGE'],
];

/** pdf.js's message for a file that is not a PDF apart from its first bytes. */
const brokenPdf = 'Invalid PDF structure.';

/** The document's problem, in words that do not mention the library. */
function toFailure(error: unknown): DocumentFailure {
  if (error instanceof DocumentFailure) return error;
  if (error instanceof PackageProblem) return new DocumentFailure('TOO_LARGE', error.reason, { cause: error });
  const words = plainWords(error instanceof Error ? error.message : String(error));
  if (error instanceof RangeError) {
    const reason = words.includes('call stack')
      ? documentProblems.NESTED_TOO_DEEPLY.reason({})
      : documentProblems.ASKS_MEMORY.reason({ why: words });
    return new DocumentFailure('TOO_LARGE', reason, { cause: error });
  }
  const issue: OfficeIssue | undefined = error instanceof Error ? (error as OfficeError).officeIssue : undefined;
  const [, code, reason = foreign(words)] = codes.find(([pattern]) => pattern.test(issue?.code ?? '')) ?? [
    undefined,
    'DAMAGED' as const,
    documentProblems.UNREADABLE_BECAUSE.reason({
      why: words === brokenPdf ? documentProblems.PDF_STRUCTURE.reason({}) : words,
    }),
  ];
  return new DocumentFailure(code, reason, { cause: error });
}
