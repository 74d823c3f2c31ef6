import { decodeHTMLStrict } from 'entities';
import { Type } from 'typebox';
import { htmlElements, scriptOf, scriptText } from '../../html/index.ts';
import { defineOperator } from '../operator.ts';

/** Elements whose content is not text. */
const rawElements = new Set(['script', 'style', 'template', 'noscript']);

/** Elements that start a new line. */
const blockElements = new Set(
  (
    'address article aside blockquote body br caption dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'head header hr html li main nav ol option p pre section table tbody td tfoot th thead title tr ul'
  ).split(' '),
);

/** Elements that may occur alone without an attribute. */
const emptyElements = new Set(['br', 'hr', 'wbr']);

/**
 * Elements with an optional end tag, and the elements of which one has to be in the text: `<option>` and `<head>` are
 * also placeholders of manuals.
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

const entity = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});/g;
// A prefixed name is an element of Office (<o:p>, <st1:place>).
const tagName = /(?:(?:o|v|w|st1):)?[a-z][a-z0-9-]{0,30}(?=[\s/>])/iy;
const officeName = /^(?:o|v|w|st1):/;
// Elements of drawings and formulas have names such as <path> and <text>: they count only if the text contains one.
const foreignContent = /<(?:svg|math)[\s>]/i;
// An attribute behind another one, each read once: one pattern for all of them would try every way to divide them.
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
// Names that no prose has: of pages, and of what frameworks add to them.
const prefixedAttribute = /^(?:aria|data|ng|v)-\w/i;
// Words with a comma, or joined by `&&`, are prose and code.
const attributeName = /^[\w:@#*()[\].-]+$/;

export const htmlTagRemover = defineOperator({
  id: 'html-tag-remover',
  version: '2.3.0',
  name: 'Remove HTML tags',
  description:
    'Takes HTML tags, comments, scripts and styles out of texts, writes a line end where a block begins or ends, and turns character references into characters. Only elements of HTML count: `#include <x.h>`, `<name@example.org>`, `<https://example.org>`, and placeholders such as `<title>` that are nowhere closed stay; where a start tag stays, so does its end tag.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'web'],
  params: Type.Object({
    lineBreaks: Type.Boolean({
      title: 'Line breaks for blocks',
      default: true,
      description: 'Write a line end for tags of blocks (p, div, li, br …); otherwise nothing is left of them',
    }),
    decodeEntities: Type.Boolean({
      title: 'Decode character references',
      default: true,
      description: 'Turn character references (&amp;, &#8212;) into the characters',
    }),
  }),
  measures: [{ name: 'tags', description: 'HTML tags, comments and declarations', scale: 'COUNT' }],
  measure: ({ text }) => [text.includes('<') ? countTags(text) : 0],
  examples: [
    { title: 'Tags go', params: {}, input: 'a <b class="x">bold</b> word', output: 'a bold word' },
    {
      title: 'Blocks become lines',
      params: {},
      input: '<p>one</p><p>two<br>three</p>',
      output: '\none\n\ntwo\nthree\n',
    },
    { title: 'Unless they should not', params: { lineBreaks: false }, input: '<p>one</p><p>two</p>', output: 'onetwo' },
    {
      title: 'Scripts, styles and comments go with what is in them',
      params: {},
      input: 'a<script>if (1 < 2) run("</p>")</script>b<!-- c --><STYLE>p {}</STYLE>d',
      output: 'abd',
    },
    {
      title: 'Whatever attributes they have',
      params: {},
      input: 'a<script setup lang="ts">\nimport { ref } from "vue";\n</script>b<style scoped>p {}</style>c',
      output: 'abc',
    },
    {
      title: 'References become characters',
      params: {},
      input: 'R&amp;D &lt; &#8364;5, d&eacute;j&agrave; vu &#150; &frac12; &unknown; &#0;',
      output: 'R&D < €5, déjà vu – ½ &unknown; &#0;',
    },
    { title: 'Powers stay powers', params: {}, input: '10<sup>6</sup>, 1<sup>st</sup>', output: '10⁶, 1st' },
    { title: 'A sign that begins no tag stays', params: {}, input: 'if a < b and c > d', output: 'if a < b and c > d' },
    { title: 'A tag that does not end stays', params: {}, input: 'a <b', output: 'a <b' },
    {
      title: 'What is no element of HTML stays',
      params: {},
      input: '#include <stdio.h>\n#include <map>\nJane <jane@example.org>, <https://example.org/a>, List<Integer>',
      output: '#include <stdio.h>\n#include <map>\nJane <jane@example.org>, <https://example.org/a>, List<Integer>',
    },
    {
      title: 'Comparisons stay',
      params: {},
      input: 'if (x<p || q>r) y(); if (a<b && c>d) z(); <b>b</b> n<li then x>y',
      output: 'if (x<p || q>r) y(); if (a<b && c>d) z(); b n<li then x>y',
    },
    {
      title: 'End tags count however they are written',
      params: { lineBreaks: false },
      input: '<Title\n>A page</TITLE\n><B>bold</B >',
      output: 'A pagebold',
    },
    {
      title: 'Options of manuals, templates of C++ and groups of regular expressions stay',
      params: {},
      input: 'git [--thread[=<style>]] merge.<option> Impl<P>, (?<p>x) <?xml}',
      output: 'git [--thread[=<style>]] merge.<option> Impl<P>, (?<p>x) <?xml}',
    },
    {
      title: 'A comment or script that is only mentioned takes nothing with it',
      params: {},
      input: "* ignore <script>\n\ntext\n\n* and </script>, perl -e 's/(?<!--)x//'\n\nmore --> end",
      output: "* ignore <script>\n\ntext\n\n* and </script>, perl -e 's/(?<!--)x//'\n\nmore --> end",
    },
    {
      title: 'A placeholder that is nowhere closed stays',
      params: {},
      input: 'usage: publish <title> <source>',
      output: 'usage: publish <title> <source>',
    },
    {
      title: 'What is mentioned with its end tag stays with it',
      params: {},
      input: '<b>see</b> <b or strong>x</b>, <b>y</b>',
      output: 'see <b or strong>x</b>, y',
    },
    { title: 'Signs in quotes are part of the tag', params: {}, input: '<a title="1 > 0">x</a>', output: 'x' },
  ],
  chinese: {
    name: '去除 HTML 标签',
    description:
      '去掉文本中的 HTML 标签、注释、脚本和样式，在块的开头和结尾处换行，并把字符引用变为字符。只识别 HTML 元素：`#include <x.h>`、`<name@example.org>`、`<https://example.org>` 以及没有结束标签的占位符（如 `<title>`）都保留；开始标签保留时，其结束标签也保留。',
    measures: { tags: 'HTML 标签、注释和声明的个数' },
    params: {
      lineBreaks: { title: '块处换行', help: '块级标签（p、div、li、br 等）处换行；否则不留下任何东西' },
      decodeEntities: { title: '还原字符引用', help: '把字符引用（&amp;、&#8212;）变为字符' },
    },
    examples: {
      'Tags go': '去掉标签',
      'Blocks become lines': '块变为行',
      'Unless they should not': '也可不换行',
      'Scripts, styles and comments go with what is in them': '脚本、样式和注释连同内容一并去掉',
      'Whatever attributes they have': '无论带有什么属性',
      'References become characters': '字符引用变为字符',
      'Powers stay powers': '乘方仍是乘方',
      'A sign that begins no tag stays': '不构成标签的符号保留',
      'A tag that does not end stays': '没有结束的标签保留',
      'What is no element of HTML stays': '不是 HTML 元素的保留',
      'Comparisons stay': '比较式保留',
      'End tags count however they are written': '结束标签无论怎样书写都算数',
      'Options of manuals, templates of C++ and groups of regular expressions stay':
        '手册的选项、C++ 的模板和正则表达式的分组保留',
      'A comment or script that is only mentioned takes nothing with it': '只是提到的注释或脚本不会带走其他内容',
      'A placeholder that is nowhere closed stays': '没有结束标签的占位符保留',
      'What is mentioned with its end tag stays with it': '只是提到的标签与其结束标签一同保留',
      'Signs in quotes are part of the tag': '引号中的符号属于标签',
    },
  },
  each:
    ({ lineBreaks, decodeEntities }) =>
    (sample) => {
      let { text } = sample;
      if (text.includes('<')) text = withoutTags(text, lineBreaks);
      if (decodeEntities && text.includes('&')) text = text.replace(entity, decode);
      return text === sample.text ? sample : { ...sample, text };
    },
});

type FindEnd = (needle: string, from: number) => number;

/** What is told of the whole text, once, if a tag asks for it. */
type Context = {
  hasForeignContent: () => boolean;
  /** Where the last end tag with a name is, -1 without any. */
  lastEndTag: (name: string) => number;
  /** Whether one of the elements is in the text; of the element itself, more than once. */
  hasRelative: (name: string) => boolean;
  openElements: OpenElements;
};

/** What is open while the text is read, by names: an end tag stays if the start tag that it belongs to does. */
type OpenElements = {
  open: (name: string) => void;
  /** A start tag that stays. */
  mention: (name: string) => void;
  isOpen: (name: string) => boolean;
  /** Whether the end tag that is read belongs to a start tag that stays. */
  endsMention: (name: string) => boolean;
};

function createOpenElements(): OpenElements {
  // How many elements are open before the first mention that is, between it and the next one, and so on.
  const opened = new Map<string, number[]>();
  const countsOf = (name: string): number[] => {
    let counts = opened.get(name);
    if (counts === undefined) opened.set(name, (counts = [0]));
    return counts;
  };
  const change = (counts: number[], by: number): void => {
    counts.push((counts.pop() ?? 0) + by);
  };
  return {
    open(name) {
      change(countsOf(name), 1);
    },
    mention(name) {
      countsOf(name).push(0);
    },
    isOpen: (name) => (opened.get(name)?.[0] ?? 0) > 0,
    endsMention(name) {
      const counts = opened.get(name);
      if (counts === undefined) return false;
      if (counts.at(-1) !== 0) change(counts, -1);
      else if (counts.length > 1) {
        counts.pop();
        return true;
      }
      return false;
    },
  };
}

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

/** A caching `indexOf`: searches for each needle once instead of again at each tag before it. */
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

/** Removes the tags in one pass over the text. */
function withoutTags(text: string, lineBreaks: boolean): string {
  let result = '';
  let taken = 0;
  let script: 'raised' | 'lowered' | undefined;
  forEachTag(text, (start, { name, end }) => {
    const isClosing = text[start + 1] === '/';
    const before = text.slice(taken, start);
    if (script !== undefined && isClosing && scriptOf(name) === script) {
      const content = before.replace(entity, decode);
      const written = scriptText(script, content, result.slice(-2));
      result += written === content ? before : written;
    } else result += before;
    script = isClosing ? undefined : scriptOf(name);
    if (lineBreaks && blockElements.has(name)) result += '\n';
    taken = end;
  });
  return result + text.slice(taken);
}

function countTags(text: string): number {
  let count = 0;
  forEachTag(text, () => {
    count += 1;
  });
  return count;
}

/** Calls `take` with each tag, comment and declaration, and where it starts. */
function forEachTag(text: string, take: (start: number, tag: { name: string; end: number }) => void): void {
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

/** Reads the tag, comment or declaration at `start`, with the content of elements that contain no text. */
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

/** Whether what has the form of a start tag is one, and no placeholder. */
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
  // As most are written; a search through all tags is slower.
  if (findEnd(`</${name}>`, end) !== -1) return true;
  // A parameter of a template: Matcher<P>.
  const isTemplate = name === 'p' && /^\w<P>/.test(text.slice(start - 1, start + 3));
  return (name === 'p' && !isTemplate) || context.lastEndTag(name) >= end || context.hasRelative(name);
}

/**
 * What is between a name and its `>`: attributes as HTML has them, words that may be attributes of something else or
 * prose, or none of it, as in `x<p || q>r`.
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

/** Whether a `<` compares: a sign follows its right side, or, within an element of that name, its left side touches it. */
function isComparison(text: string, start: number, inside: string, isOpen: boolean): boolean {
  return !/^[\s/]*[\w:@#*([{]/.test(inside) || (isOpen && /[\w)\]]/.test(text[start - 1] ?? ''));
}

/** Whether a `<` belongs to a regular expression: (?<a>…), (?P<a>…), \g<a>, \k<a>. */
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
 * Whether a text only mentions a `<!--` or `<script>`, and its end is that of another one: it is in the middle of a line,
 * not behind a tag, and a blank line is before that end. A changelog would lose what is between.
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

/** Decoded references: texts repeat a few of them. */
const decoded = new Map<string, string>();
const maxDecoded = 4096;

/** The character of a reference as browsers read it (HTML Living Standard, 13.2.5.72); one that is none stays. */
function decode(reference: string): string {
  const known = decoded.get(reference);
  if (known !== undefined) return known;
  const character = decodeHTMLStrict(reference);
  const result = character === '\ufffd' ? reference : character;
  if (decoded.size < maxDecoded) decoded.set(reference, result);
  return result;
}
