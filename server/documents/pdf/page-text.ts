import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import type { PdfFindings } from './pdf-findings.ts';
import { annotationFont, annotationStyle, besideLabels } from './annotations.ts';
import { composeAccents } from './accents.ts';
import { withoutCopies } from './drawn-twice.ts';
import { stackColumns } from './page-columns.ts';
import { findGrids, type RuledGrid } from './ruled-grids.ts';
import type { RuledLines } from './ruled-lines.ts';
import { markShortTokens } from './short-tokens.ts';
import { countLetters } from './text-balance.ts';
import { fillTable, isText, middleOf, type PageItem, type TableText } from './table-text.ts';

/**
 * Unicode noncharacters for internal use: each stands in for a table while the layout of the surrounding text is
 * analysed.
 */
const firstMark = 0xfd_d0;
const maxTables = 32;
const marks = /[\ufdd0-\ufdef]/;

/** A page with more text items is read without detecting tables. */
const maxItems = 100_000;

type TextChunk = { items: PageItem[]; styles: Styles; lang: string | null };
type Styles = Record<string, { ascent: number; descent: number }>;
type TextPage = Pick<PDFPageProxy, 'getStructTree'> & {
  streamTextContent(parameters: object): ReadableStream<TextChunk>;
};

/** The mark of a page's table. */
export function markOf(table: number): string {
  return String.fromCodePoint(firstMark + table);
}

/** Splits a text at its marks; `table` is the table that follows each part except the last. */
export function cutAtMarks(text: string): { text: string; table: number | undefined }[] {
  const parts = text.split(/([\ufdd0-\ufdef])/);
  return parts.flatMap((part, index) =>
    index % 2 === 1
      ? []
      : [{ text: part, table: parts[index + 1] === undefined ? undefined : tableOf(parts[index + 1]) }],
  );
}

function tableOf(mark = ''): number {
  return (mark.codePointAt(0) ?? firstMark) - firstMark;
}

/**
 * Prepares a page's text for officeparser: combines accents with letters, replaces each ruled table by a mark, records
 * the tables in `findings`, and stacks columns. On tagged pages, the tags describe tables and order instead.
 */
export function arrangeText(
  page: PDFPageProxy,
  lines: RuledLines,
  isTagged: boolean,
  findings: PdfFindings,
  written: readonly TextItem[],
): void {
  const grids = findGrids(lines);
  const textPage = page as unknown as TextPage;
  const read = textPage.streamTextContent.bind(textPage);
  textPage.streamTextContent = (parameters) =>
    ReadableStream.from(
      (async function* arrange(): AsyncGenerator<TextChunk> {
        const held: TextChunk = { items: [], styles: {}, lang: null };
        let isHeld = true;
        for await (const chunk of read(parameters)) {
          if (!isHeld) {
            findings.letters += lettersIn(chunk.items);
            yield { ...chunk, styles: withHeights(chunk.styles) };
            continue;
          }
          for (const item of chunk.items) held.items.push(item);
          Object.assign(held.styles, withHeights(chunk.styles));
          if (held.items.length <= maxItems) continue;
          isHeld = false;
          findings.letters += lettersIn(held.items);
          yield held;
        }
        if (!isHeld) return;
        const values = withoutLoneBoxes(written, held.items);
        if (isTagged && values.length > 0) {
          findings.untagged.set(
            page.pageNumber,
            values.map(({ str }) => str),
          );
        } else if (values.length > 0) {
          held.styles[annotationFont] = annotationStyle;
          for (const item of besideLabels(values, held.items.filter(isText))) held.items.push(item);
        }
        const composed = composeAccents(withoutCopies(held.items));
        findings.letters += lettersIn(composed);
        const isLeft = grids.length === 0 || (isTagged && hasTable(await page.getStructTree()));
        const items = isLeft ? composed : replaceTables(composed, grids, page.pageNumber, findings);
        yield { ...held, items: markShortTokens(isTagged ? items : stackColumns(items)) };
      })(),
    );
}

/** On a page without any text, such as a scanned form, boxes say nothing, and the page is one without text. */
function withoutLoneBoxes(written: readonly TextItem[], items: readonly PageItem[]): readonly TextItem[] {
  const hasText = [...items, ...written].some((item) => isText(item) && /[^\s☐☒]/u.test(item.str));
  return hasText ? written : [];
}

function lettersIn(items: readonly PageItem[]): number {
  return items.reduce((letters, item) => letters + (isText(item) ? countLetters(item.str) : 0), 0);
}

/** Fonts that pdf.js can't load have no height, and officeparser would lose their lines. */
function withHeights(styles: Styles): Styles {
  return Object.fromEntries(
    Object.entries(styles).map(([font, style]) => [
      font,
      Number.isFinite(style.ascent) && Number.isFinite(style.descent)
        ? style
        : { ...style, ascent: 0.8, descent: -0.2 },
    ]),
  );
}

function replaceTables(
  items: readonly PageItem[],
  grids: readonly RuledGrid[],
  pageNumber: number,
  findings: PdfFindings,
): PageItem[] {
  const texts = items.filter(isText);
  if (texts.some(({ str }) => marks.test(str))) return [...items];
  const tables: TableText[] = [];
  const taken = new Set<PageItem>();
  const placed = new Map<PageItem, TextItem>();
  // A table within a cell of another table becomes text of that cell.
  for (const grid of grids.toSorted((one, other) => areaOf(other) - areaOf(one))) {
    const inside = texts.filter((item) => !taken.has(item) && isInside(grid, item));
    const [first] = inside;
    const table = first === undefined || tables.length === maxTables ? undefined : fillTable(grid, inside);
    if (first === undefined || table === undefined) continue;
    for (const item of inside) taken.add(item);
    placed.set(first, placeholder(grid, first, tables.length));
    tables.push(table);
  }
  if (tables.length > 0) findings.tables.set(pageNumber, tables);
  return items.flatMap((item) => placed.get(item) ?? (taken.has(item) ? [] : [item]));
}

/** The mark in the middle of the table, narrower than the table so that page columns stay apart. */
function placeholder({ xs, ys }: RuledGrid, first: TextItem, table: number): TextItem {
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)];
  const margin = Math.min(18, (right - left) / 4);
  const size = Math.min(first.height || 10, (top - bottom) / 2);
  return {
    ...first,
    str: markOf(table),
    dir: 'ltr',
    transform: [size, 0, 0, size, left + margin, (top + bottom) / 2 - 0.3 * size],
    width: right - left - 2 * margin,
    height: size,
    hasEOL: true,
  };
}

function isInside({ xs, ys }: RuledGrid, item: TextItem): boolean {
  const [x, y] = middleOf(item);
  return x > (xs[0] ?? 0) && x < (xs.at(-1) ?? 0) && y < (ys[0] ?? 0) && y > (ys.at(-1) ?? 0);
}

function areaOf({ xs, ys }: RuledGrid): number {
  return ((xs.at(-1) ?? 0) - (xs[0] ?? 0)) * ((ys[0] ?? 0) - (ys.at(-1) ?? 0));
}

type StructNode = { role?: string; type?: string; children?: readonly StructNode[] };

function hasTable(tree: StructNode | null): boolean {
  const left: StructNode[] = tree === null ? [] : [tree];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.role === 'Table') return true;
    left.push(...(node.children ?? []));
  }
  return false;
}
