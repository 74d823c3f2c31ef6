import { elementsOf, readHtml, writeHtml, type HtmlElement } from '../../html/index.ts';
import { numberAs } from '../lists/number-formats.ts';
import { latexOfMathml } from '../package/mathml.ts';

/** What the reader of pages does not know: formulas, readings, and lists with numbers that are not decimal. */
const unknown = /<(?:\w+:)?math\b|<ruby\b|<ol\b[^>]*?(?:\btype\s*=\s*["']?[aAiI]\b|list-style)/i;

/** Elements of MathML may close themselves in a page, too. */
const emptyMath = /<((?:\w+:)?(?:none|mprescripts|mspace|mrow|mi|mo|mn|mtd|mtr|mtext|mphantom))\b([^<>]*?)\/>/g;

/** Readings such as furigana and pinyin, and the parentheses around them for programs that do not know readings. */
const readings = new Set(['rt', 'rp', 'rtc']);

/**
 * Writes formulas as LaTeX, and the labels of lists that count otherwise than Markdown as part of their items; of text
 * with a reading, the text stays.
 */
export function rewritePage(html: string): string {
  if (!unknown.test(html)) return html;
  const closed = html.replaceAll(emptyMath, '<$1$2></$1>');
  return writeHtml(rewritten(readHtml(closed, { keepsAttributes: true })), () => false);
}

function rewritten(element: HtmlElement, isInRuby = false): HtmlElement {
  if (element.name === 'math' || element.name.endsWith(':math')) return formula(element);
  const isRuby = isInRuby || element.name === 'ruby';
  const children = element.children.flatMap((child) => {
    if (typeof child === 'string') return element.name === 'ruby' ? child.replaceAll(lineEndsAround, '') : child;
    return isRuby && readings.has(child.name) ? [] : rewritten(child, isRuby);
  });
  const format = element.name === 'ol' ? formatOf(element) : undefined;
  return format === undefined ? { ...element, children } : labelled({ ...element, children }, format);
}

/** Line ends between text and readings are no space between words. */
const lineEndsAround = /^\s*\n\s*|\s*\n\s*$/g;

function formula(math: HtmlElement): HtmlElement {
  const latex = latexOfMathml(math);
  const sign = math.attributes['display'] === 'block' ? '$$' : '$';
  return { name: 'span', attributes: {}, children: latex === '' ? [] : [`${sign}${latex}${sign}`] };
}

const formatsOfType: Readonly<Record<string, string>> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
};

const formatsOfStyle: Readonly<Record<string, string>> = {
  'lower-alpha': 'lowerLetter',
  'lower-latin': 'lowerLetter',
  'upper-alpha': 'upperLetter',
  'upper-latin': 'upperLetter',
  'lower-roman': 'lowerRoman',
  'upper-roman': 'upperRoman',
  'decimal-leading-zero': 'decimalZero',
  'cjk-ideographic': 'chineseCounting',
  'simp-chinese-informal': 'chineseCounting',
};

/** The number format of a list; undefined for one that Markdown writes itself. */
function formatOf({ attributes }: HtmlElement): string | undefined {
  const style = /list-style(?:-type)?\s*:[^;]*?\b([a-z-]+)\s*(?:;|$)/i.exec(attributes['style'] ?? '')?.[1];
  return formatsOfStyle[style?.toLowerCase() ?? ''] ?? formatsOfType[attributes['type']?.trim() ?? ''];
}

function labelled(list: HtmlElement, format: string): HtmlElement {
  const items = elementsOf(list).filter(({ name }) => name === 'li');
  const isReversed = list.attributes['reversed'] !== undefined;
  let number = Number.parseInt(list.attributes['start'] ?? '', 10);
  if (Number.isNaN(number)) number = isReversed ? items.length : 1;
  const children = list.children.map((child) => {
    if (typeof child === 'string' || child.name !== 'li') return child;
    const own = Number.parseInt(child.attributes['value'] ?? '', 10);
    if (!Number.isNaN(own)) number = own;
    const label = `${numberAs(format, number)}. `;
    number += isReversed ? -1 : 1;
    return { ...child, children: withLabel(child.children, label) };
  });
  return { ...list, name: 'ul', children };
}

/** A label belongs to the first line of its item. */
function withLabel(children: HtmlElement['children'], label: string): HtmlElement['children'] {
  const first = children.findIndex((child) => typeof child !== 'string' || child.trim() !== '');
  const block = children[first];
  if (block === undefined || typeof block === 'string' || block.name !== 'p') return [label, ...children];
  return children.with(first, { ...block, children: [label, ...block.children] });
}
