import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import type { PdfFindings } from './pdf-findings.ts';

/** An annotation as pdf.js gives it (ISO 32000-2, 12.5), as far as it is used. */
type Annotation = {
  subtype?: string;
  fieldType?: string;
  fieldValue?: unknown;
  buttonValue?: string;
  checkBox?: boolean;
  radioButton?: boolean;
  pushButton?: boolean;
  password?: boolean;
  options?: readonly { exportValue?: string; displayValue?: string }[];
  contentsObj?: { str?: string };
  textContent?: readonly string[];
  annotationFlags?: number;
  rect?: readonly number[];
  file?: { filename?: string };
};

/** Annotations that only mark or comment what is on the page. */
const comments = new Set([
  'Text',
  'Highlight',
  'Underline',
  'Squiggly',
  'StrikeOut',
  'Caret',
  'Ink',
  'Stamp',
  'Line',
  'Square',
  'Circle',
  'Polygon',
  'PolyLine',
]);

/** Hidden, or not shown on the screen. */
const hiddenFlags = 2 | 32;
/** A page with more annotations is read without those that follow. */
const maxAnnotations = 20_000;

/**
 * The texts that annotations write on the page: values of form fields and free text, as items in their places. Counts
 * comments, attached files and hidden values.
 */
export async function annotationItems(page: PDFPageProxy, findings: PdfFindings): Promise<TextItem[]> {
  let annotations: Annotation[];
  try {
    annotations = (await page.getAnnotations()) as Annotation[];
  } catch {
    // The page's own text may still be readable.
    findings.brokenAnnotations += 1;
    return [];
  }
  if (annotations.length > maxAnnotations) findings.brokenAnnotations += 1;
  return annotations.slice(0, maxAnnotations).flatMap((annotation) => {
    const { subtype = '', file, contentsObj, annotationFlags = 0 } = annotation;
    if (subtype === 'FileAttachment') findings.attachments.add(file?.filename ?? '');
    else if (comments.has(subtype) && (contentsObj?.str ?? '').trim() !== '') findings.comments += 1;
    const text = textOf(annotation, findings);
    if (text === '') return [];
    if ((annotationFlags & hiddenFlags) !== 0) findings.hiddenCharacters += text.length;
    return itemsOf(text, annotation);
  });
}

function textOf(annotation: Annotation, findings: PdfFindings): string {
  const { subtype, fieldType, fieldValue, contentsObj, textContent } = annotation;
  if (subtype === 'FreeText') return (contentsObj?.str || textContent?.join('\n')) ?? '';
  if (subtype !== 'Widget') return '';
  if (annotation.password === true) {
    if (typeof fieldValue === 'string' && fieldValue !== '') findings.passwords += 1;
    return '';
  }
  if (fieldType === 'Tx') return typeof fieldValue === 'string' ? fieldValue.trim() : '';
  if (fieldType === 'Ch') return chosen(annotation);
  if (fieldType !== 'Btn' || annotation.pushButton === true) return '';
  if (annotation.radioButton === true) return fieldValue !== null && fieldValue === annotation.buttonValue ? '☒' : '☐';
  return typeof fieldValue === 'string' && fieldValue !== 'Off' && fieldValue !== '' ? '☒' : '☐';
}

function chosen({ fieldValue, options = [] }: Annotation): string {
  const values: unknown[] = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  return values
    .filter((value) => typeof value === 'string')
    .map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .join(', ');
}

/** Lines of a text from the top of the annotation's rectangle down, in letters that fit. */
function itemsOf(text: string, { rect = [] }: Annotation): TextItem[] {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = rect;
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  const height = Math.abs(y1 - y0);
  const size = Math.max(4, Math.min(10, height / Math.max(1, lines.length) / 1.2));
  // The value of a field of one line stands on the line of its label.
  const first = lines.length === 1 ? (y0 + y1) / 2 - 0.35 * size : Math.max(y0, y1) - size;
  return lines.map((str, index) => ({
    str,
    dir: 'ltr',
    width: Math.min(Math.abs(x1 - x0), 0.5 * size * str.length),
    height: size,
    transform: [size, 0, 0, size, Math.min(x0, x1), first - index * 1.2 * size],
    fontName: annotationFont,
    hasEOL: true,
  }));
}

/** A label and its field are at most this far apart, in points. */
const maxGap = 250;

/** Labels are looked for among the texts of a few lines, so that a page with many fields takes linear time. */
const bandHeight = 16;
const maxInBand = 500;

function bandOf(y: number): number {
  return Math.floor(y / bandHeight);
}

/** Moves the values of fields beside their labels: the layout would read the gap between them as one of columns. */
export function besideLabels(written: readonly TextItem[], items: readonly TextItem[]): TextItem[] {
  const bands = new Map<number, TextItem[]>();
  for (const item of items) {
    const band = bandOf((item.transform as number[])[5] ?? 0);
    const others = bands.get(band);
    if (others === undefined) bands.set(band, [item]);
    else if (others.length < maxInBand) others.push(item);
  }
  return written.map((item) => {
    const [size = 10, , , , x = 0, y = 0] = item.transform as number[];
    let best: { gap: number; x: number; y: number } | undefined;
    const near = [-1, 0, 1].flatMap((step) => bands.get(bandOf(y) + step) ?? []);
    for (const label of near) {
      const [, turned = 0, , , left = 0, baseline = 0] = label.transform as number[];
      if (turned !== 0 || label.str.trim() === '' || Math.abs(baseline - y) > 0.8 * Math.max(size, label.height))
        continue;
      const space = 0.3 * size;
      const [before, after] = [x - left - label.width, left - x - size];
      const gap = left < x ? Math.max(0, before) : Math.max(0, after);
      if (gap > (left < x ? maxGap : 3 * size) || (best !== undefined && best.gap <= gap)) continue;
      best = { gap, x: left < x ? left + label.width + space : left - item.width - space, y: baseline };
    }
    if (best === undefined) return item;
    return { ...item, transform: [size, 0, 0, size, best.x, best.y] };
  });
}

/** A font of its own, for which the page has no glyphs. */
export const annotationFont = 'annotation';
export const annotationStyle = { ascent: 0.8, descent: -0.2, fontFamily: 'sans-serif', vertical: false };
