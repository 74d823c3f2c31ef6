import { elementsOf, type HtmlElement } from './html-tree.ts';
import { textOfMath } from './math-text.ts';
import { scriptOf, scriptText } from './scripts.ts';

/** Elements that contain no text of the page. */
const unread = new Set(
  (
    'script style template noscript head title svg iframe object embed canvas audio video select datalist ' +
    'textarea button map'
  ).split(' '),
);
/** Elements surrounded by blank lines, and elements on lines of their own. */
const paragraphs = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol dl menu pre blockquote table article section main figure'.split(' '),
);
const lines = new Set(
  (
    'address aside body caption dd div dt fieldset figcaption footer form header hr html legend li nav option summary ' +
    'details tr'
  ).split(' '),
);
const lists = new Set(['ul', 'ol', 'menu']);

/** A table with more columns is not worth writing as Markdown. */
const mostColumns = 200;

export type HtmlTextOptions = {
  readonly tables: 'MARKDOWN' | 'DROP';
  /** Whether pictures are replaced by their alternative text. */
  readonly pictures?: boolean;
  /** Further elements to leave out, besides those without text. */
  readonly skips?: (element: HtmlElement) => boolean;
};

/**
 * The text of a page as a reader sees it: blank lines between paragraphs, list items after `- `, code with its line
 * breaks.
 */
export function textOfHtml(root: HtmlElement, options: HtmlTextOptions): string {
  const writer = createWriter();
  write(root, writer, options, { isPre: false, lists: 0, numbers: undefined, isRoot: true });
  return writer.end();
}

type Writer = {
  /** Adds text with its white space collapsed. */
  words(added: string): void;
  /** Adds text unchanged. */
  lines(added: string): void;
  /** The last two characters of the current line. */
  last(): string;
  /** Puts a prefix before the next text, on the same line. */
  mark(prefix: string): void;
  breakLines(count: number): void;
  end(): string;
};

function createWriter(): Writer {
  const parts: string[] = [];
  let [breaks, prefix, hasSpace] = [0, '', false];
  /** Writes pending breaks, spaces and prefixes before a text. */
  function start(): void {
    const last = parts.at(-1);
    if (last !== undefined && breaks > 0) {
      parts[parts.length - 1] = last.trimEnd();
      parts.push('\n'.repeat(breaks));
    } else if (last !== undefined && hasSpace && prefix === '') parts.push(' ');
    if (prefix !== '') parts.push(prefix);
    [breaks, prefix, hasSpace] = [0, '', false];
  }
  return {
    words(added) {
      const words = added.trim();
      hasSpace ||= /^[\t\n\f\r ]/.test(added);
      if (words === '') return;
      start();
      parts.push(words.replaceAll(/[\t\n\f\r ]+/g, ' '));
      hasSpace = /[\t\n\f\r ]$/.test(added);
    },
    lines(added) {
      const isFirst = breaks > 0 || parts.length === 0;
      const kept = (isFirst ? added.replace(/^(?:[\t ]*\n)+/, '') : added).replaceAll(/\r\n?/g, '\n');
      if (kept === '') return;
      start();
      parts.push(kept);
    },
    last: () => (hasSpace || breaks > 0 ? '' : (parts.at(-1) ?? '').slice(-2)),
    mark(next) {
      prefix = next;
    },
    breakLines(count) {
      // An item's first paragraph is on the same line as its marker.
      if (prefix === '') breaks = Math.max(breaks, count);
      hasSpace = false;
    },
    end: () => parts.join('').trim(),
  };
}

/** `numbers`: the item numbers of an ordered list. `isRoot`: the element is the one that is written. */
type Place = { isPre: boolean; lists: number; numbers: { next: number } | undefined; isRoot: boolean };

function write(element: HtmlElement, writer: Writer, options: HtmlTextOptions, place: Place): void {
  const { name } = element;
  if (unread.has(name) || (isHidden(element) && !mayShow(element, place)) || options.skips?.(element) === true) return;
  if (name === 'br') {
    writer.breakLines(1);
    return;
  }
  if (name === 'math') {
    writer.words(textOfMath(element));
    return;
  }
  if (name === 'img') {
    if (options.pictures === true) writer.words(element.attributes['alt'] ?? '');
    return;
  }
  const script = scriptOf(name);
  if (script !== undefined) {
    const content = textOfHtml({ ...element, name: '' }, options);
    writer.words(content.includes('\n') ? content : scriptText(script, content, writer.last()));
    // Trailing white space within the script moves after it.
    const end = element.children.at(-1);
    if (typeof end === 'string' && /\s$/.test(end)) writer.words(' ');
    return;
  }
  if (name === 'table' && isDataTable(element)) {
    writer.breakLines(2);
    if (options.tables === 'MARKDOWN') writer.lines(markdownTable(element, options));
    writer.breakLines(2);
    return;
  }
  const gap = gapAround(name, place);
  if (gap > 0) writer.breakLines(gap);
  const isPre = place.isPre || name === 'pre';
  const inside = {
    isPre,
    lists: place.lists + (lists.has(name) ? 1 : 0),
    numbers: lists.has(name) ? numbersOf(element) : place.numbers,
    isRoot: false,
  };
  if (name === 'li') writer.mark('  '.repeat(Math.max(0, place.lists - 1)) + markOf(place, element));
  for (const child of element.children) {
    if (typeof child !== 'string') write(child, writer, options, inside);
    else if (isPre) writer.lines(child);
    else writer.words(child);
  }
  if (name === 'li') writer.mark('');
  if (name === 'td' || name === 'th') writer.words(' ');
  if (gap > 0) writer.breakLines(gap);
}

function numbersOf({ name, attributes }: HtmlElement): Place['numbers'] {
  return name === 'ol' ? { next: Number.parseInt(attributes['start'] ?? '1', 10) || 1 } : undefined;
}

function markOf({ numbers }: Place, { attributes }: HtmlElement): string {
  if (numbers === undefined) return '- ';
  const value = Number.parseInt(attributes['value'] ?? '', 10);
  if (!Number.isNaN(value)) numbers.next = value;
  numbers.next += 1;
  return `${numbers.next - 1}. `;
}

/** Number of line ends around an element; inside a list, nested lists and headings get only one. */
function gapAround(name: string, place: Place): number {
  if (!paragraphs.has(name)) return lines.has(name) ? 1 : 0;
  return place.lists === 0 || name === 'p' || name === 'pre' ? 2 : 1;
}

/** A script shows the page, or its main content, once it is loaded. */
function mayShow({ name }: HtmlElement, { isRoot }: Place): boolean {
  return isRoot || name === 'html' || name === 'body';
}

export function isHidden({ attributes }: HtmlElement): boolean {
  return (
    attributes['hidden'] !== undefined ||
    /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(attributes['style'] ?? '')
  );
}

function rowsOf(table: HtmlElement): HtmlElement[] {
  return elementsOf(table).flatMap((child) => {
    if (child.name === 'tr') return [child];
    return /^t(?:head|body|foot)$/.test(child.name) ? elementsOf(child).filter(({ name }) => name === 'tr') : [];
  });
}

function cellsOf(row: HtmlElement): HtmlElement[] {
  return elementsOf(row).filter(({ name }) => name === 'td' || name === 'th');
}

/**
 * Whether a table has at least two rows and columns and no block elements in its cells; other tables are for page
 * layout.
 */
function isDataTable(table: HtmlElement): boolean {
  const rows = rowsOf(table);
  if (rows.length < 2 || rows.every((row) => cellsOf(row).length < 2)) return false;
  return !rows.some((row) => cellsOf(row).some((cell) => elementsOf(cell).some(isBlock)));
}

function isBlock({ name }: HtmlElement): boolean {
  return /^(?:table|h[1-6]|nav|form|article|section)$/.test(name);
}

/** The texts of a table's cells by column; a cell that spans rows or columns is in the first of them. */
function cellTexts(table: HtmlElement, options: HtmlTextOptions): string[][] {
  /** For each column, the number of further rows that a cell above occupies. */
  const taken: number[] = [];
  return rowsOf(table).map((row) => {
    const texts: string[] = [];
    const skipTaken = (): void => {
      for (let left = taken[texts.length] ?? 0; left > 0; left = taken[texts.length] ?? 0) {
        taken[texts.length] = left - 1;
        texts.push('');
      }
    };
    for (const cell of cellsOf(row)) {
      skipTaken();
      if (texts.length >= mostColumns) break;
      const [width, height] = [spanOf(cell, 'colspan'), spanOf(cell, 'rowspan')];
      for (let at = 0; at < width && texts.length < mostColumns; at += 1) {
        taken[texts.length] = height - 1;
        texts.push(at === 0 ? cellText(cell, options) : '');
      }
    }
    const filled = texts.length;
    while (texts.length < taken.length && texts.length < mostColumns) {
      const left = taken[texts.length] ?? 0;
      taken[texts.length] = Math.max(0, left - 1);
      texts.push('');
    }
    return texts.slice(0, filled);
  });
}

function spanOf({ attributes }: HtmlElement, direction: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(attributes[direction] ?? '1', 10);
  // A missing or invalid number means one; `rowspan=0` extends to the end of the table.
  if (span === 0 && direction === 'rowspan') return Number.MAX_SAFE_INTEGER;
  return Number.isNaN(span) || span < 1 ? 1 : span;
}

/** Body rows may be shorter than the header, as in GitHub's Markdown. */
function markdownTable(table: HtmlElement, options: HtmlTextOptions): string {
  const rows = cellTexts(table, options);
  const [head = [], ...body] = rows;
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  const titles = Array.from({ length: width }, (_, at) => head[at] ?? '');
  const caption = elementsOf(table).find(({ name }) => name === 'caption');
  return [
    ...(caption === undefined ? [] : [cellText(caption, options), '']),
    lineOf(titles),
    lineOf(titles.map(() => '---')),
    ...body.map(lineOf),
  ].join('\n');
}

function cellText(cell: HtmlElement, options: HtmlTextOptions): string {
  return textOfHtml({ ...cell, name: '' }, options)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', String.raw`\|`);
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
