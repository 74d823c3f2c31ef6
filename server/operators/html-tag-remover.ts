import { Type } from 'typebox';
import { defineOperator } from './operator.ts';

/** What stands between these tags is no text. */
const rawElements = new Set(['script', 'style', 'template', 'noscript']);

/** Tags that begin a new line where they stand. */
const blockElements = new Set(
  (
    'address article aside blockquote body br caption dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'head header hr html li main nav ol option p pre section table tbody td tfoot th thead title tr ul'
  ).split(' '),
);

/** Longer tags end at their first `>`, whatever is quoted in them. */
const maxQuotedTag = 4096;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  euro: '€',
  pound: '£',
  yen: '¥',
  sect: '§',
  para: '¶',
};
const entity = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g;
const tagName = /^[a-zA-Z][a-zA-Z0-9-]{0,30}/;

export const htmlTagRemover = defineOperator({
  id: 'html-tag-remover',
  version: '1.0.0',
  name: 'Remove HTML tags',
  description:
    'Takes HTML tags, comments, scripts and styles out of texts, writes a line end where a block begins or ends, and turns character references into characters. A `<` that begins no tag stays.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'web'],
  params: Type.Object({
    lineBreaks: Type.Boolean({
      default: true,
      description: 'Write a line end for tags of blocks (p, div, li, br …); otherwise nothing is left of them',
    }),
    decodeEntities: Type.Boolean({
      default: true,
      description: 'Turn character references (&amp;, &#8212;) into the characters',
    }),
  }),
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
      title: 'References become characters',
      params: {},
      input: 'R&amp;D &lt; &#8364;5 &unknown;',
      output: 'R&D < €5 &unknown;',
    },
    { title: 'A sign that begins no tag stays', params: {}, input: 'if a < b and c > d', output: 'if a < b and c > d' },
    { title: 'A tag that does not end stays', params: {}, input: 'a <b', output: 'a <b' },
    { title: 'Signs in quotes are part of the tag', params: {}, input: '<a title="1 > 0">x</a>', output: 'x' },
  ],
  each:
    ({ lineBreaks, decodeEntities }) =>
    (sample) => {
      let { text } = sample;
      if (text.includes('<')) text = withoutTags(text, lineBreaks);
      if (decodeEntities && text.includes('&')) text = text.replace(entity, decode);
      return text === sample.text ? sample : { ...sample, text };
    },
});

/** One walk over the text; an end that was looked for in vain is not looked for again. */
function withoutTags(text: string, lineBreaks: boolean): string {
  const absent = new Set<string>();
  const findEnd = (needle: string, from: number): number => {
    if (absent.has(needle)) return -1;
    const found = text.indexOf(needle, from);
    if (found === -1) absent.add(needle);
    return found;
  };
  let result = '';
  let taken = 0;
  let at = text.indexOf('<');
  while (at !== -1) {
    const tag = readTag(text, at, findEnd);
    if (tag === undefined) {
      at = text.indexOf('<', at + 1);
      continue;
    }
    result += text.slice(taken, at);
    if (lineBreaks && blockElements.has(tag.name)) result += '\n';
    taken = tag.end;
    at = text.indexOf('<', tag.end);
  }
  return result + text.slice(taken);
}

/** The tag, comment or declaration that begins at `start`, with the content of elements that hold no text. */
function readTag(
  text: string,
  start: number,
  findEnd: (needle: string, from: number) => number,
): { name: string; end: number } | undefined {
  if (text.startsWith('<!--', start)) {
    const end = findEnd('-->', start + 4);
    return end === -1 ? undefined : { name: '', end: end + 3 };
  }
  const next = text[start + 1];
  if (next === '!' || next === '?') {
    const end = findEnd('>', start);
    return end === -1 ? undefined : { name: '', end: end + 1 };
  }
  const isClosing = next === '/';
  const nameStart = start + (isClosing ? 2 : 1);
  const name = tagName.exec(text.slice(nameStart, nameStart + 32))?.[0].toLowerCase();
  if (name === undefined) return undefined;
  const end = endOfTag(text, nameStart + name.length, findEnd);
  if (end === -1) return undefined;
  if (isClosing || !rawElements.has(name)) return { name, end };
  const close = indexOfClosing(name, end, findEnd);
  return { name, end: close === -1 ? end : close };
}

function endOfTag(text: string, from: number, findEnd: (needle: string, from: number) => number): number {
  const plain = findEnd('>', from);
  if (plain === -1) return -1;
  let quote = '';
  for (let at = from; at < from + maxQuotedTag && at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') {
      return at + 1;
    } else if ((character === '"' || character === "'") && text[at - 1] === '=') {
      quote = character;
    }
  }
  return plain + 1;
}

function indexOfClosing(name: string, from: number, findEnd: (needle: string, from: number) => number): number {
  for (const closing of [`</${name}`, `</${name.toUpperCase()}`]) {
    const found = findEnd(closing, from);
    if (found === -1) continue;
    const end = findEnd('>', found);
    return end === -1 ? -1 : end + 1;
  }
  return -1;
}

function decode(reference: string, decimal?: string, hexadecimal?: string, named?: string): string {
  if (named !== undefined) return Object.hasOwn(entities, named) ? (entities[named] ?? reference) : reference;
  const codePoint = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  const isCharacter = codePoint > 0 && codePoint <= 0x10_ffff && (codePoint < 0xd800 || codePoint > 0xdfff);
  return isCharacter ? String.fromCodePoint(codePoint) : reference;
}
