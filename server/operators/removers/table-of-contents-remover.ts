import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

const heading =
  /^\s{0,20}(?:#{1,6}\s{1,4})?[*_]{0,2}(?:table of contents|contents|目\s{0,4}录|目\s{0,4}次|目錄)[*_]{0,2}[:：]?\s*$/i;
/** A title with leaders before its page number: dots, or more blanks than a sentence has. */
const leadered =
  /^(?=.{3,200}$)\s*\S.*?(?:\.{3,}|(?:\. ){3,}|…{1,}|·{3,}|⋯{1,}|_{3,}|\t+| {3,})[\s.…·]*(?:\d{1,4}|[ivxlc]{1,7})\s*$/i;
const link = /^\s*(?:[-*+]|\d{1,3}[.)])\s+\[[^\]\n]{1,200}\]\(#[^)\s]{0,200}\)\s*$/;
/** An entry without leaders, which only counts below a heading: `1.2 Methods 14`, `第一章 绪论 1`. */
const numbered =
  /^(?=.{3,120}$)\s*(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?\s|第[一二三四五六七八九十百\d]{1,4}[章节篇部]|(?:chapter|part|appendix)\s|[A-Z]\.\d).*\s\d{1,4}\s*$/i;

export const tableOfContentsRemover = defineOperator({
  id: 'table-of-contents-remover',
  version: '1.0.0',
  name: 'Remove the table of contents',
  description:
    'Removes tables of contents: a heading (Contents, 目录) and the entries after it or, without a heading, three or more consecutive entries that are titles with leader dots and a page number, or Markdown links within the document. A single such line is kept.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning'],
  params: Type.Object({
    minEntries: Type.Integer({
      title: 'Minimum entries',
      default: 3,
      minimum: 2,
      maximum: 100,
      description: 'Fewer consecutive entries are not a table of contents',
    }),
  }),
  examples: [
    {
      title: 'With its heading',
      params: {},
      input:
        'Title\n\nContents\n\n1 Introduction ........ 1\n2 Methods ............. 4\n3 Results ............. 9\n\n1 Introduction\nText.',
      output: 'Title\n\n1 Introduction\nText.',
    },
    {
      title: 'Chinese',
      params: {},
      input: '目  录\n第一章 绪论……1\n第二章 方法……5\n第三章 结果……12\n第一章 绪论\n正文。',
      output: '第一章 绪论\n正文。',
    },
    {
      title: 'Markdown links',
      params: {},
      input: '# Tool\n\n- [Install](#install)\n- [Use](#use)\n  - [Flags](#flags)\n\n## Install\n',
      output: '# Tool\n\n## Install\n',
    },
    {
      title: 'A single line is kept',
      params: {},
      input: 'Total ........ 12\nText.',
      output: 'Total ........ 12\nText.',
    },
    {
      title: 'A heading alone is kept',
      params: {},
      input: 'Contents\n\nThe box has 12 parts.',
      output: 'Contents\n\nThe box has 12 parts.',
    },
  ],
  chinese: {
    name: '去除目录',
    description:
      '去掉目录：标题（Contents、目录）及其后的条目；没有标题时，连续三条或更多带引导符和页码的标题，或 Markdown 中指向本文档的链接。单独一行保留。',
    params: { minEntries: { title: '最少条目数', help: '连续的条目更少就不算目录' } },
    examples: {
      'With its heading': '连同标题',
      Chinese: '中文',
      'Markdown links': 'Markdown 链接',
      'A single line is kept': '单独一行保留',
      'A heading alone is kept': '单独的标题保留',
    },
  },
  each:
    ({ minEntries }) =>
    (sample) => {
      const lines = sample.text.split(/(?<=\n)/);
      const kept: string[] = [];
      for (let at = 0; at < lines.length;) {
        const { end, entries } = readTable(lines, at);
        if (entries < minEntries) {
          kept.push(lines[at] ?? '');
          at += 1;
          continue;
        }
        at = end;
      }
      return kept.length === lines.length ? sample : { ...sample, text: kept.join('') };
    },
});

/** Where a table that begins at a line ends, including blank lines after it, and its number of entries. */
function readTable(lines: readonly string[], start: number): { end: number; entries: number } {
  const first = lines[start] ?? '';
  const isHeaded = first.length < 60 && heading.test(first);
  const isEntry = (line: string): boolean =>
    line.length < 300 &&
    (leadered.test(line.trimEnd()) || link.test(line) || (isHeaded && numbered.test(line.trimEnd())));
  let entries = 0;
  let at = isHeaded ? start + 1 : start;
  let end = start;
  for (let blanks = 0; at < lines.length && blanks <= 2; at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      if (entries === 0 && !isHeaded) break;
      blanks += 1;
      continue;
    }
    if (!isEntry(line)) break;
    blanks = 0;
    entries += 1;
    end = at + 1;
  }
  if (entries > 0) while (end < lines.length && lines[end]?.trim() === '') end += 1;
  return { end, entries };
}
