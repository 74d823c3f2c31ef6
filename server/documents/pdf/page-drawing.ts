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

/** The layers of a document (optional content), as pdf.js gives them. */
export type PdfLayers = { isVisible(group: object): boolean; getGroup(id: string): { name?: string | null } | null };

const unicodeMap = '_map';

/** A font as pdf.js exports it with `fontExtraProperties`. */
type FontData = string | { composite?: boolean; toUnicode?: { [unicodeMap]?: (string | undefined)[] } };
type Glyph = { unicode: string; originalCharCode: number };

/**
 * Reads the operators of a page once, chunk by chunk without keeping them: counts the glyphs shown, and those without a
 * known character, whose codes pdf.js outputs as if they were characters. Returns the ruled lines drawn.
 */
export async function examinePage(
  page: PDFPageProxy,
  findings: PdfFindings,
  layers: PdfLayers | undefined,
): Promise<RuledLines> {
  const lines = createRuledLineCollector();
  let font: FontData | undefined;
  let isLost = false;
  let operators = 0;
  let annotations = 0;
  /** Whether the marked contents that are open are shown. */
  const shown: boolean[] = [];
  const { promise: enough, resolve: leave } = Promise.withResolvers<void>();
  const chunked = page as unknown as ChunkedPage;
  const render = chunked[chunkHook].bind(page);
  chunked[chunkHook] = (chunk, state) => {
    operators += chunk.length;
    for (let index = 0; index < chunk.length; index += 1) {
      const args = chunk.argsArray[index] ?? [];
      const operator = chunk.fnArray[index];
      if (operator === OPS.setFont) {
        font = findFont(page, String(args[0]));
        // If pdf.js can't load a font, it stores an error in its place and shows nothing.
        isLost = args[0] === 'g_font_error' || typeof font === 'string';
      } else if (operator === OPS.showText && annotations === 0) {
        if (isLost) findings.lostTexts += 1;
        else countGlyphs(args[0] as (Glyph | number)[], font, findings);
        if (shown.includes(false)) findings.hiddenCharacters += (args[0] as unknown[]).filter(isGlyph).length;
      } else if (operator === OPS.beginMarkedContent) shown.push(true);
      else if (operator === OPS.beginMarkedContentProps) shown.push(isShown(args, layers, findings));
      else if (operator === OPS.endMarkedContent) shown.pop();
      else {
        // What annotations draw is read from themselves.
        if (operator === OPS.beginAnnotation) annotations += 1;
        else if (operator === OPS.endAnnotation) annotations -= 1;
        lines.take(operator ?? 0, args);
      }
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

function isGlyph(glyph: unknown): boolean {
  return typeof glyph === 'object' && glyph !== null;
}

/** Whether marked content is in no layer, or in one that is on. */
function isShown([tag, group]: readonly unknown[], layers: PdfLayers | undefined, findings: PdfFindings): boolean {
  if (tag !== 'OC' || layers === undefined || typeof group !== 'object' || group === null) return true;
  if (layers.isVisible(group)) return true;
  const { id } = group as { id?: string };
  const name = id === undefined ? undefined : layers.getGroup(id)?.name;
  findings.hiddenLayers.add(name ?? '');
  return false;
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
