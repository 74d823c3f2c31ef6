import { htmlElements } from '../../html/index.ts';
import { createOpenElements, type OpenElements } from './open-elements.ts';

/** Elements whose content is not text. */
const rawElements = new Set(['script', 'style', 'template', 'noscript']);

/** Elements that count as tags without an attribute or end tag. */
const emptyElements = new Set(['br', 'hr', 'wbr']);

/**
 * Elements with an optional end tag, each with related elements: one of these must also be in the text, as `<option>`
 * and `<head>` are also placeholders in manuals.
 */
const relatives: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    li: 'ul|ol|menu|dir',
    'dd dt': 'dl',
    'option optgroup': 'select|datalist',
    'colgroup tbody td tfoot th thead tr': 'table|td|th|tr',
    'rb rp rt': 'ruby',
    'body head html': 'html|head|body|title',
  }).flatMap(([names, others]) =>
    names.split(' ').map((name) => {
      const pattern = `<\\/?(?:${others})[\\s/>]`;
      const known = others.split('|').includes(name) ? `(?:${pattern})[^]*?${pattern}` : pattern;
      return [name, new RegExp(known, 'i')] as const;
    }),
  ),
);

/** Longer tags end at their first `>`, even within quotes. */
const maxQuotedTag = 4096;

// A prefixed name is a Microsoft Office element (<o:p>, <st1:place>).
const tagName = /(?:(?:o|v|w|st1):)?[a-z][a-z0-9-]{0,30}(?=[\s/>])/iy;
const officeName = /^(?:o|v|w|st1):/;
// SVG and MathML elements have names such as <path> and <text>: they only count if the text contains <svg> or <math>.
const foreignContent = /<(?:svg|math)[\s>]/i;
// Attributes are matched one at a time: a single pattern for all of them would try every way to divide them.
const attribute =
  /[\s/]*([a-z_:@#*([][^\s"'<>/=]{0,100})(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`][^\s"'<>`]*)|(?=[\s/]|$))/iy;
/** Attributes that need no value. */
const valueless = new Set(
  (
    'allowfullscreen async autofocus autoplay checked compact contenteditable controls crossorigin default defer disabled ' +
    'download formnovalidate hidden inert ismap itemscope loop multiple muted nohref nomodule noresize noshade novalidate ' +
    'nowrap open playsinline popover readonly required reversed scoped selected'
  ).split(' '),
);
// Prefixed names that prose does not have: those of HTML and of frameworks.
const prefixedAttribute = /^(?:aria|data|ng|v)-\w/i;
// Words with a comma, or joined by `&&`, are prose or code.
const attributeName = /^[\w:@#*()[\].-]+$/;

type FindEnd = (needle: string, from: number) => number;

/** Facts about the whole text, computed once on demand. */
type Context = {
  hasForeignContent: () => boolean;
  /** Position of the last end tag with a name, -1 if there is none. */
  lastEndTag: (name: string) => number;
  /** Whether a related element is in the text; for an element related to itself, more than once. */
  hasRelative: (name: string) => boolean;
  openElements: OpenElements;
};

function contextOf(text: string): Context {
  let isForeign: boolean | undefined;
  let lower: string | undefined;
  const ends = new Map<string, number>();
  const related = new Map<string, boolean>();
  return {
    openElements: createOpenElements(),
    hasForeignContent: () => (isForeign ??= foreignContent.test(text)),
    lastEndTag(name) {
      let end = ends.get(name);
      if (end !== undefined) return end;
      lower ??= text.toLowerCase();
      end = lower.lastIndexOf(`</${name}`);
      while (end > 0 && !/[\s>]/.test(lower[end + name.length + 2] ?? ''))
        end = lower.lastIndexOf(`</${name}`, end - 1);
      ends.set(name, end);
      return end;
    },
    hasRelative(name) {
      let has = related.get(name);
      if (has === undefined) related.set(name, (has = relatives.get(name)?.test(text) ?? false));
      return has;
    },
  };
}

/** A caching `indexOf`: searches for a needle again only once its last match has been passed. */
function rememberingFind(text: string): FindEnd {
  const known = new Map<string, { from: number; found: number }>();
  return (needle, from) => {
    const last = known.get(needle);
    if (last !== undefined && from >= last.from && (last.found === -1 || last.found >= from)) return last.found;
    const found = text.indexOf(needle, from);
    known.set(needle, { from, found });
    return found;
  };
}

/** Calls `take` with each tag, comment and declaration, and its start. */
export function forEachTag(text: string, take: (start: number, tag: { name: string; end: number }) => void): void {
  const findEnd = rememberingFind(text);
  const context = contextOf(text);
  let at = text.indexOf('<');
  while (at !== -1) {
    const tag = readTag(text, at, findEnd, context);
    if (tag === undefined) {
      at = text.indexOf('<', at + 1);
      continue;
    }
    take(at, tag);
    at = text.indexOf('<', tag.end);
  }
}

/** Reads the tag, comment or declaration at `start`, including the content of elements that contain no text. */
function readTag(
  text: string,
  start: number,
  findEnd: FindEnd,
  context: Context,
): { name: string; end: number } | undefined {
  const next = text[start + 1];
  if (next === '!' || next === '?') return readDeclaration(text, start, findEnd);
  const isClosing = next === '/';
  const nameStart = start + (isClosing ? 2 : 1);
  tagName.lastIndex = nameStart;
  const name = tagName.exec(text)?.[0].toLowerCase();
  if (name === undefined || !(htmlElements.has(name) || officeName.test(name) || context.hasForeignContent()))
    return undefined;
  const end = endOfTag(text, nameStart + name.length, findEnd);
  if (end === -1) return undefined;
  const inside = text.slice(nameStart + name.length, end - 1);
  const { openElements } = context;
  if (isClosing) return inside.trim() === '' && !openElements.endsMention(name) ? { name, end } : undefined;
  const written = attributesOf(inside);
  if (rawElements.has(name)) {
    const close = written === 'NONE' ? -1 : indexOfClosing(name, end, findEnd);
    if (close !== -1) {
      if (!isMention(text, start, close, findEnd)) return { name, end: close };
      openElements.mention(name);
      return undefined;
    }
  }
  const isSelfClosing = inside.endsWith('/');
  if (written !== 'KNOWN') {
    if (!isSelfClosing && !isComparison(text, start, inside, openElements.isOpen(name))) openElements.mention(name);
    return undefined;
  }
  if (!isTag(text, start, { name, inside, end }, findEnd, context)) return undefined;
  if (!isSelfClosing) openElements.open(name);
  return { name, end };
}

/** Whether something in the form of a start tag is a tag, and not a placeholder. */
function isTag(
  text: string,
  start: number,
  { name, inside, end }: { name: string; inside: string; end: number },
  findEnd: FindEnd,
  context: Context,
): boolean {
  if (inside.trim() !== '' || emptyElements.has(name)) return true;
  if (rawElements.has(name)) return text.includes('</');
  if (isGroup(text, start)) return false;
  // The usual spelling first; a search through all tags is slower.
  if (findEnd(`</${name}>`, end) !== -1) return true;
  // A template parameter: Matcher<P>.
  const isTemplate = name === 'p' && /^\w<P>/.test(text.slice(start - 1, start + 3));
  return (name === 'p' && !isTemplate) || context.lastEndTag(name) >= end || context.hasRelative(name);
}

/**
 * Classifies what is between a name and its `>`: HTML attributes, words that may be other attributes or prose, or
 * neither, as in `x<p || q>r`.
 */
function attributesOf(inside: string): 'KNOWN' | 'WORDS' | 'NONE' {
  let areKnown = true;
  let at = 0;
  while (at < inside.length) {
    attribute.lastIndex = at;
    const found = attribute.exec(inside);
    if (found === null) break;
    const [whole, name = '', value] = found;
    if (value === undefined && !valueless.has(name.toLowerCase()) && !prefixedAttribute.test(name)) {
      if (!attributeName.test(name)) return 'NONE';
      areKnown = false;
    }
    at += whole.length;
  }
  if (at < inside.length && !/^[\s/]*$/.test(inside.slice(at))) return 'NONE';
  return areKnown ? 'KNOWN' : 'WORDS';
}

/**
 * Whether a `<` is a comparison: a sign follows its right operand, or, within an element of that name, it directly
 * follows its left one.
 */
function isComparison(text: string, start: number, inside: string, isOpen: boolean): boolean {
  return !/^[\s/]*[\w:@#*([{]/.test(inside) || (isOpen && /[\w)\]]/.test(text[start - 1] ?? ''));
}

/** Whether a `<` is part of a regular expression: (?<a>…), (?P<a>…), \g<a>, \k<a>. */
function isGroup(text: string, start: number): boolean {
  const before = text[start - 1];
  if (before !== '?' && before !== 'P' && before !== 'g' && before !== 'k') return false;
  return /(?:\(\?P?|\\[gk])$/.test(text.slice(Math.max(0, start - 3), start));
}

/** Reads a comment, document type, section or processing instruction; any other `<!` or `<?` is text. */
function readDeclaration(text: string, start: number, findEnd: FindEnd): { name: string; end: number } | undefined {
  const head = text.slice(start, start + 12).toLowerCase();
  const close = head.startsWith('<!--')
    ? '-->'
    : head.startsWith('<![cdata[')
      ? ']]>'
      : /^<\?(?:xml\s|php\s|=)/.test(head)
        ? '?>'
        : /^<!(?:doctype\s+[a-z]|\[(?:if|endif))/.test(head)
          ? '>'
          : undefined;
  if (close === undefined) return undefined;
  const end = findEnd(close, start + 2);
  if (end === -1 || (close !== '>' && isMention(text, start, end, findEnd))) return undefined;
  return { name: '', end: end + close.length };
}

/**
 * Whether a `<!--` or `<script>` is only mentioned, so that its apparent end belongs to another one: it is in the
 * middle of a line, not after a tag, and a blank line comes before that end. Without this check, a changelog would lose
 * the text between.
 */
function isMention(text: string, start: number, end: number, findEnd: FindEnd): boolean {
  if (!/[^\s>][^\S\n]{0,8}$/.test(text.slice(Math.max(0, start - 10), start))) return false;
  return ['\n\n', '\n\r\n'].some((blankLine) => {
    const at = findEnd(blankLine, start);
    return at !== -1 && at < end;
  });
}

function endOfTag(text: string, from: number, findEnd: FindEnd): number {
  const plain = findEnd('>', from);
  if (plain === -1) return -1;
  let quote = '';
  for (let at = from; at < from + maxQuotedTag && at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') {
      return at + 1;
    } else if (character === '<') {
      return -1;
    } else if ((character === '"' || character === "'") && text[at - 1] === '=') {
      quote = character;
    }
  }
  return plain + 1;
}

function indexOfClosing(name: string, from: number, findEnd: FindEnd): number {
  for (const closing of [`</${name}`, `</${name.toUpperCase()}`, `</${name[0]?.toUpperCase()}${name.slice(1)}`]) {
    const found = findEnd(closing, from);
    if (found === -1) continue;
    const end = findEnd('>', found);
    return end === -1 ? -1 : end + 1;
  }
  return -1;
}
