import { Type } from 'typebox';
import { defineOperator } from '../operator.ts';

const heading =
  /^[^\S\n]{0,8}(?:#{1,6}[^\S\n]{0,4}|\\(?:sub)?section\*?\{|[*_]{1,2})?(?:\d{1,2}\.?[^\S\n]{1,4}|[IVX]{1,5}\.[^\S\n]{1,4})?(?:references?(?:[^\S\n]and[^\S\n]notes|[^\S\n]cited)?|bibliography|works[^\S\n]cited|literature(?:[^\S\n]cited)?|参考文献|參考文獻|引用文献|参考资料)[:：}*_#\s]{0,6}$/i;
const nextHeading =
  /^[^\S\n]{0,8}(?:#{1,6}[^\S\n]|\\(?:section|appendix|chapter|end\{document\})|(?:[A-Z][.\s]{1,3}|\d{1,2}\.?[^\S\n]{1,4})?(?:appendix|appendices|acknowledge?ments?|supplement\w*|about the authors?|author contributions?|biograph(?:y|ies)|index)\b[^\n]{0,60}$|附录|附錄|致谢|致謝|作者简介|后记|索引)/i;
/** `[12] …`, `12. …`, `(12) …`, `- …`, `\bibitem`, or an author with a year: `Smith, J. (2020). …`. */
const entry =
  /^\s{0,12}(?:\[[\w+:.-]{1,24}\]|［\d{1,3}］|【\d{1,3}】|\(?\d{1,3}[.)、]|[-*•]\s|\\bibitem)|^\s{0,4}[\p{Lu}\p{Script=Han}].{1,300}(?:\((?:19|20)\d\d[a-z]?\)|\b(?:19|20)\d\d[a-z]?\b|\[[A-Z](?:\/OL)?\])/u;
const yearOrAddress = /\b(?:1[5-9]|20)\d\d\b|https?:\/\/|\bdoi\b|\bpp?\.|\[[A-Z](?:\/OL)?\]/i;

const underline = /^[^\S\n]{0,3}(?:={3,}|-{3,}|~{3,}|\^{3,})$/;
/** A shorter paragraph may be part of an entry. */
const fewestOfProse = 40;

export const referenceListRemover = defineOperator({
  id: 'reference-list-remover',
  version: '1.1.0',
  name: 'Remove reference lists',
  description:
    'Removes reference lists: a heading (References, Bibliography, Works cited, 参考文献) and the entries after it, up to the next heading such as an appendix, the next paragraph of prose, or the end; in LaTeX also the thebibliography environment. A heading followed by other text is kept.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning'],
  params: Type.Object({
    minEntries: Type.Integer({
      title: 'Minimum entries',
      default: 2,
      minimum: 1,
      maximum: 1000,
      description: 'A heading followed by fewer entries is kept',
    }),
  }),
  examples: [
    {
      title: 'Up to the end',
      params: {},
      input: 'Text.\n\nReferences\n\n[1] A. Smith. A paper. 2001.\n[2] B. Jones. Another\npaper. 2002.\n',
      output: 'Text.\n\n',
    },
    {
      title: 'Up to the next heading',
      params: {},
      input: '## References\n\n- Smith, J. (2020). A book.\n- Lee, K. (2021). A paper.\n\n## Appendix\n\nMore.',
      output: '## Appendix\n\nMore.',
    },
    {
      title: 'Up to the next paragraph of prose',
      params: {},
      input:
        'References\n==========\n\nSmith, J. (2020). A book.\n\nLee, K. (2021). A paper.\n\nThis concluding paragraph is ordinary prose and remains.\n',
      output: 'This concluding paragraph is ordinary prose and remains.\n',
    },
    {
      title: 'Chinese',
      params: {},
      input:
        '正文。\n参考文献：\n[1] 张三. 数据清洗[J]. 软件学报, 2020.\n[2] 李四. 机器学习[M]. 北京, 2019.\n致谢\n感谢。',
      output: '正文。\n致谢\n感谢。',
    },
    {
      title: 'Text below the heading is kept',
      params: {},
      input: 'References\n\nPlease ask your former employer for references.\n',
      output: 'References\n\nPlease ask your former employer for references.\n',
    },
    {
      title: 'LaTeX',
      params: {},
      input: 'Text.\n\\begin{thebibliography}{9}\n\\bibitem{a} A.\n\\end{thebibliography}\nEnd.',
      output: 'Text.\n\nEnd.',
    },
  ],
  chinese: {
    name: '去除参考文献',
    description:
      '去掉参考文献列表：标题（References、Bibliography、Works cited、参考文献）及其后的条目，直到附录等下一个标题、下一段正文或文末；LaTeX 中还包括 thebibliography 环境。标题后是其他文字的保留。',
    params: { minEntries: { title: '最少条目数', help: '标题后的条目更少时保留' } },
    examples: {
      'Up to the end': '直到文末',
      'Up to the next heading': '直到下一个标题',
      'Up to the next paragraph of prose': '直到下一段正文',
      Chinese: '中文',
      'Text below the heading is kept': '标题下的正文保留',
      LaTeX: 'LaTeX 环境',
    },
  },
  each:
    ({ minEntries }) =>
    (sample) => {
      const given = withoutEnvironment(sample.text);
      if (!/reference|bibliography|cited|literature|参考|參考|引用文献/i.test(given))
        return given === sample.text ? sample : { ...sample, text: given };
      const lines = given.split(/(?<=\n)/);
      const kept: string[] = [];
      for (let at = 0; at < lines.length;) {
        const end = heading.test((lines[at] ?? '').slice(0, 100).trimEnd()) ? endOfList(lines, at, minEntries) : at;
        if (end === at) kept.push(lines[at] ?? '');
        at = Math.max(end, at + 1);
      }
      const text = kept.join('');
      return text === sample.text ? sample : { ...sample, text };
    },
});

/** Where the list below a heading ends; the heading's own line if there is no list. */
function endOfList(lines: readonly string[], start: number, minEntries: number): number {
  let entries = 0;
  let others = 0;
  let at = start + 1;
  for (; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').slice(0, 500).trimEnd();
    if (line === '' || (at === start + 1 && underline.test(line))) continue;
    if (nextHeading.test(line)) break;
    if (entry.test(line) && (yearOrAddress.test(line) || /^\s{0,12}[[［【(\d\\]/.test(line))) entries += 1;
    else if (underline.test((lines[at + 1] ?? '').trimEnd()) || (entries > 0 && isProse(lines, at))) break;
    else others += 1;
    // More other lines than wrapped entries would have: running text, not a list.
    if (others > 3 + entries * 6 || (entries === 0 && others > 0)) return start;
  }
  return entries >= minEntries ? at : start;
}

/** Whether a paragraph that is not an entry begins here: a sentence without year, pages or address. */
function isProse(lines: readonly string[], start: number): boolean {
  if (lines[start - 1]?.trim() !== '') return false;
  let end = start;
  while (end < lines.length && end - start < 20 && lines[end]?.trim() !== '') end += 1;
  const paragraph = lines.slice(start, end).join('').slice(0, 2000).trim();
  if (yearOrAddress.test(paragraph)) return false;
  if (/^\p{Script=Han}/u.test(paragraph)) return paragraph.length >= fewestOfProse / 2 && /[，。]/.test(paragraph);
  return (
    paragraph.length >= fewestOfProse && /^\p{Lu}\p{L}*,? \p{Ll}/u.test(paragraph) && /[.!?:]["”)]?$/.test(paragraph)
  );
}

function withoutEnvironment(text: string): string {
  const begin = text.indexOf(String.raw`\begin{thebibliography}`);
  if (begin === -1) return text;
  const close = String.raw`\end{thebibliography}`;
  const end = text.indexOf(close, begin);
  return end === -1 ? text : text.slice(0, begin) + text.slice(end + close.length);
}
