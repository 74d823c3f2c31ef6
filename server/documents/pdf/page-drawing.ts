import { OPS, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { PdfFindings } from './pdf-findings.ts';
import { createRuledLineCollector, type RuledLines } from './ruled-lines.ts';

/** A page with more operators is a drawing; further operators are not examined. */
const maxOperators = 500_000;

type OperatorChunk = { fnArray: number[]; argsArray: unknown[][]; length: number; lastChunk: boolean };
type IntentState = { streamReader?: { read: () => Promise<unknown> } | null };
/**
 * The method of pdf.js that receives a page's operators chunk by chunk; there is no public way to get them in chunks.
 */
const chunkHook = '_renderPageChunk';
type ChunkedPage = { [chunkHook](chunk: OperatorChunk, state: IntentState): void };

const unicodeMap = '_map';

/** A font as pdf.js exports it with `fontExtraProperties`. */
type FontData = string | { composite?: boolean; toUnicode?: { [unicodeMap]?: (string | undefined)[] } };
type Glyph = { unicode: string; originalCharCode: number };

/**
 * Reads the operators of a page once, chunk by chunk without keeping them: counts the glyphs shown, and those without a
 * known character, whose codes pdf.js outputs as if they were characters. Returns the ruled lines drawn.
 */
export async function examinePage(page: PDFPageProxy, findings: PdfFindings): Promise<RuledLines> {
  const lines = createRuledLineCollector();
  let font: FontData | undefined;
  let isLost = false;
  let operators = 0;
  const { promise: enough, resolve: leave } = Promise.withResolvers<void>();
  const chunked = page as unknown as ChunkedPage;
  const render = chunked[chunkHook].bind(page);
  chunked[chunkHook] = (chunk, state) => {
    operators += chunk.length;
    for (let index = 0; index < chunk.length; index += 1) {
      const args = chunk.argsArray[index] ?? [];
      if (chunk.fnArray[index] === OPS.setFont) {
        font = findFont(page, String(args[0]));
        // If pdf.js can't load a font, it stores an error in its place and shows nothing.
        isLost = args[0] === 'g_font_error' || typeof font === 'string';
      } else if (chunk.fnArray[index] === OPS.showText) {
        if (isLost) findings.lostTexts += 1;
        else countGlyphs(args[0] as (Glyph | number)[], font, findings);
      } else lines.take(chunk.fnArray[index] ?? 0, args);
    }
    render({ ...chunk, fnArray: [], argsArray: [], length: 0 }, state);
    if (operators < maxOperators || chunk.lastChunk) return;
    // pdf.js stops building a list that nothing reads.
    if (state.streamReader) state.streamReader.read = () => new Promise(() => undefined);
    leave();
  };
  try {
    await Promise.race([page.getOperatorList(), enough]);
  } catch {
    // The text of the page may still be readable; if not, reading it reports the error.
  } finally {
    if (operators < maxOperators) Reflect.deleteProperty(chunked, chunkHook);
  }
  return lines;
}

function findFont(page: PDFPageProxy, id: string): FontData | undefined {
  return page.commonObjs.has(id) ? (page.commonObjs.get(id) as FontData) : undefined;
}

function countGlyphs(glyphs: readonly (Glyph | number)[], font: FontData | undefined, findings: PdfFindings): void {
  for (const glyph of glyphs) {
    // Numbers are only position adjustments.
    if (typeof glyph !== 'object' || glyph === null || glyph.unicode.trim() === '') continue;
    findings.glyphs += 1;
    if (!isMapped(glyph, font)) findings.unmappedGlyphs += 1;
  }
}

function isMapped({ unicode, originalCharCode }: Glyph, font: FontData | undefined): boolean {
  if (noCharacter.test(unicode)) return false;
  if (typeof font !== 'object') return true;
  const map = font.toUnicode?.[unicodeMap];
  // In a composite font without a map, the codes are glyph numbers.
  return map === undefined ? font.composite !== true : map[originalCharCode] !== undefined;
}

/** Control, private-use and replacement characters. */
const noCharacter = /[\p{Cc}\p{Co}\ufffd]/u;
