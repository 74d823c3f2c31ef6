import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';
import { wordsKey } from './repeats.ts';

/** Lines with a page number: `Page 3 of 10`, `- 12 -`, `第 3 页 共 10 页`, `3 / 10`. */
const pageNumber =
  /^\s*(?:page\s{0,3}\d{1,4}(?:\s{0,3}(?:of|\/)\s{0,3}\d{1,4})?|p\.\s{0,2}\d{1,4}|[-–—]\s{0,3}\d{1,4}\s{0,3}[-–—]|\[?\s{0,2}page\s{0,2}\d{1,4}\s{0,2}\]|第\s{0,3}[\d一二三四五六七八九十百]{1,5}\s{0,3}[页頁](?:\s{0,3}[,，/]?\s{0,3}[共总總]\s{0,3}\d{1,5}\s{0,3}[页頁])?|[共总總]\s{0,3}\d{1,5}\s{0,3}[页頁]\s{0,3}[,，/]?\s{0,3}第\s{0,3}\d{1,5}\s{0,3}[页頁])\s*$/i;
const bare = /^\s*(?:[-–—·•]\s?)?(\d{1,4})(?:\s?[-–—·•])?\s*$/;
/** Number of lines at the top and at the bottom of a page that may be its header and footer. */
const edgeLines = 3;
/** Bare numbers are page numbers if at least this many are consecutive, with text between them. */
const fewestNumbers = 3;
const fewestLinesBetween = 4;

export const pageHeaderRemover = defineOperator({
  id: 'page-header-remover',
  version: '1.1.0',
  name: 'Remove page headers, footers and numbers',
  description:
    "Removes running headers, footers and page numbers: lines at the top or bottom of pages (separated by form feeds) that are the same on three or more pages except for digits (version numbers such as 2.14 are not page numbers); lines that name a page ('Page 3 of 10', '第 3 页'); and numbers alone on a line that count up by one through the document.",
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning'],
  params: Type.Object({
    pages: Type.Integer({
      title: 'Minimum pages',
      default: 3,
      minimum: 2,
      maximum: 1000,
      description: 'Number of pages that a header or footer must appear on',
    }),
  }),
  examples: [
    {
      title: 'Headers and footers',
      params: {},
      input: 'ACME Report 2024\nOne.\n1\n\fACME Report 2024\nTwo.\n2\n\fACME Report 2024\nThree.\n3\n',
      output: 'One.\n\fTwo.\n\fThree.\n',
    },
    {
      title: 'Lines that name a page',
      params: {},
      input: 'Text\nPage 3 of 10\nmore\n- 4 -\nend',
      output: 'Text\nmore\nend',
    },
    { title: 'Chinese', params: {}, input: '正文\n第 3 页 共 10 页\n正文\n第4页\n', output: '正文\n正文\n' },
    {
      title: 'Numbers that count up',
      params: {},
      input: 'a\nb\nc\nd\n7\na\nb\nc\nd\n8\na\nb\nc\nd\n9\n',
      output: 'a\nb\nc\nd\na\nb\nc\nd\na\nb\nc\nd\n',
    },
    {
      title: 'Version headings are kept',
      params: {},
      input: 'New in 2.14:\nOne.\n\fNew in 2.13:\nTwo.\n\fNew in 2.12:\nThree.\n',
      output: 'New in 2.14:\nOne.\n\fNew in 2.13:\nTwo.\n\fNew in 2.12:\nThree.\n',
    },
    {
      title: 'Other numbers are kept',
      params: {},
      input: '1\n2\n3\n\npage turner\n2024\n',
      output: '1\n2\n3\n\npage turner\n2024\n',
    },
  ],
  chinese: {
    name: '去除页眉、页脚和页码',
    description:
      '去掉印刷页面正文之外的内容：在三页或更多页（以换页符分隔）的顶部或底部出现、除数字外相同的行（版本号如 2.14 不算页码）；写明页码的行（“Page 3 of 10”“第 3 页”）；以及单独成行、在全文中逐一递增的数字。',
    params: { pages: { title: '最少页数', help: '页眉或页脚至少出现在这么多页上' } },
    examples: {
      'Headers and footers': '页眉和页脚',
      'Lines that name a page': '写明页码的行',
      Chinese: '中文',
      'Numbers that count up': '递增的数字',
      'Version headings are kept': '版本标题保留',
      'Other numbers are kept': '其他数字保留',
    },
  },
  each:
    ({ pages: fewestPages }) =>
    (sample) => {
      const pages = sample.text.split('\f').map((page) => page.split(/(?<=\n)/));
      const removed = new Set<string>();
      if (pages.length >= fewestPages) findEdges(pages, fewestPages, removed);
      findNamed(pages, removed);
      findNumbers(pages, removed);
      if (removed.size === 0) return sample;
      const text = pages
        .map((lines, page) => lines.filter((_, at) => !removed.has(`${page} ${at}`)).join(''))
        .join('\f');
      return { ...sample, text };
    },
});

type Pages = readonly (readonly string[])[];

/** The first and last lines of a page that have text. */
function edgesOf(lines: readonly string[]): { place: string; at: number }[] {
  const filled: number[] = [];
  for (let at = 0; at < lines.length && filled.length < edgeLines; at += 1)
    if (lines[at]?.trim() !== '') filled.push(at);
  const last: number[] = [];
  for (let at = lines.length - 1; at >= 0 && last.length < edgeLines; at -= 1)
    if (lines[at]?.trim() !== '') last.push(at);
  return [
    ...filled.map((at) => ({ place: 'top', at })),
    ...last.filter((at) => !filled.includes(at) || lines.length > edgeLines).map((at) => ({ place: 'bottom', at })),
  ];
}

/** Spells a version number as a word: unlike page numbers, versions distinguish lines. */
function inLetters(version: string): string {
  return version.replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
}

function findEdges(pages: Pages, fewestPages: number, removed: Set<string>): void {
  const places = new Map<string, Set<string>>();
  for (const [page, lines] of pages.entries())
    for (const { place, at } of edgesOf(lines)) {
      const line = lines[at] ?? '';
      const named = line.replaceAll(/\d+(?:\.\d+)+/g, inLetters);
      const key = `${place} ${(wordsKey(named) || line.trim()).replaceAll(/\p{N}+/gu, '0')}`;
      const found = places.get(key) ?? new Set<string>();
      places.set(key, found.add(`${page} ${at}`));
    }
  for (const found of places.values()) {
    if (new Set([...found].map((place) => place.split(' ')[0])).size < fewestPages) continue;
    for (const place of found) removed.add(place);
  }
}

function findNamed(pages: Pages, removed: Set<string>): void {
  for (const [page, lines] of pages.entries())
    for (const [at, line] of lines.entries())
      if (line.length < 60 && pageNumber.test(line)) removed.add(`${page} ${at}`);
}

function findNumbers(pages: Pages, removed: Set<string>): void {
  let chain: { place: string; value: number; line: number }[] = [];
  const close = (): void => {
    if (chain.length >= fewestNumbers) for (const { place } of chain) removed.add(place);
    chain = [];
  };
  let line = 0;
  for (const [page, lines] of pages.entries())
    for (const [at, text] of lines.entries()) {
      line += 1;
      const digits = text.length < 20 ? bare.exec(text)?.[1] : undefined;
      if (digits === undefined) continue;
      const [value, last] = [Number(digits), chain.at(-1)];
      // Any other number on a line of its own is part of the text: the chain continues after it.
      if (last !== undefined && (value !== last.value + 1 || line - last.line <= fewestLinesBetween)) {
        if (value === last.value + 1 || chain.length < fewestNumbers) close();
        else continue;
      }
      chain.push({ place: `${page} ${at}`, value, line });
    }
  close();
}
