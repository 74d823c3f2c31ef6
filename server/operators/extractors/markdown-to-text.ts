import { Type } from 'typebox';
import { readHtml, textOfHtml } from '../../html/index.ts';
import { defineOperator } from '../operator.ts';
import { createMarkdown } from './markdown.ts';

/**
 * Front matter of site generators, in YAML or TOML: keys with values, items, comments and their indented lines; not
 * prose between two rules.
 */
const rest = String.raw`[^\r\n]*`;
const indented = String.raw`[ \t]+(?:[^\s]${rest})?`;
const yaml = String.raw`["']?[\w.][\w.-]*(?: [\w.-]+){0,3}["']?[ \t]*:(?:[ \t]${rest})?|${indented}|-[ \t]${rest}|#${rest}|[}\]],?[ \t]*`;
const toml = String.raw`[\w."'-]+[ \t]*=${rest}|\[${rest}|${indented}|#${rest}|[\]}]${rest}|"""|'''`;
const frontMatter = new RegExp(
  String.raw`^(?:---[ \t]*\r?\n(?=[\w"'#])(?:(?:${yaml})?\r?\n)*?(?:---|\.\.\.)|\+\+\+[ \t]*\r?\n(?:(?:${toml})?\r?\n)*?\+\+\+)[ \t]*(?:\r?\n|$)`,
);

export const markdownToText = defineOperator({
  id: 'markdown-to-text',
  version: '1.1.0',
  name: 'Markdown to text',
  description:
    'Converts Markdown (CommonMark 0.31 with tables and strikethrough) to text. Markup of headings, emphasis, links and block quotes is removed; images are replaced by their alt text; lists keep their hyphens and numbers; line breaks are kept. Formulas, footnotes and placeholders in angle brackets are kept as written. HTML elements are read as HTML; front matter is removed.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['extraction'],
  params: Type.Object({
    tables: Type.Union([Type.Literal('MARKDOWN'), Type.Literal('DROP')], {
      title: 'Tables',
      default: 'MARKDOWN',
      description: 'MARKDOWN: keep tables as Markdown. DROP: leave them out',
    }),
    code: Type.Union([Type.Literal('KEEP'), Type.Literal('DROP')], {
      title: 'Code blocks',
      default: 'KEEP',
      description: 'KEEP: keep the code, without its fences. DROP: leave it out',
    }),
  }),
  examples: [
    {
      title: 'Markup is removed',
      params: {},
      input: '# 标题\n\nSome *words* and [a link](https://example.org "x").\n\n> Quoted\n\n1. one\n2. `two`\n',
      output: '标题\n\nSome words and a link.\n\nQuoted\n\n1. one\n2. two',
    },
    {
      title: 'Text that only looks like markup is kept',
      params: {},
      input: '2 * 3 * 4, snake_case_name, #1, a < b, C:\\temp',
      output: '2 * 3 * 4, snake_case_name, #1, a < b, C:\\temp',
    },
    {
      title: 'Code without its fences',
      params: {},
      input: 'Run:\n\n```sh\nls *.md\n```\n\n![A cat](cat.png)',
      output: 'Run:\n\nls *.md\n\nA cat',
    },
    {
      title: 'Footnotes, formulas and placeholders are kept',
      params: {},
      input:
        'A text[^1] with $$c*d*e$$ and \\(x_1\\), $a_1 \\\\ b_2$, for $5 or $6.\n\ngit commit -m <message>, Promise<void>, Maybe<A> <img alt="A dog">\n\n[^1]: https://example.org/source\n',
      output:
        'A text[^1] with $$c*d*e$$ and \\(x_1\\), $a_1 \\\\ b_2$, for $5 or $6.\n\ngit commit -m <message>, Promise<void>, Maybe<A> A dog\n\n[^1]: https://example.org/source',
    },
    { title: 'Code dropped', params: { code: 'DROP' }, input: 'a\n\n```\nb\n```\n\nc `d`', output: 'a\n\nc d' },
    {
      title: 'Front matter is removed',
      params: {},
      input: '---\ntitle: x\ntags:\n- a\n- b\n\nsummary: >\n  Two\n  lines\n---\nText',
      output: 'Text',
    },
    {
      title: 'Prose between two rules is kept',
      params: {},
      input: '---\n\nThis is a whole opening paragraph, set off by a rule.\n\n---\n\nThen the rest.',
      output: 'This is a whole opening paragraph, set off by a rule.\n\nThen the rest.',
    },
  ],
  chinese: {
    name: 'Markdown 转文本',
    description:
      '读取 Markdown（CommonMark 0.31，含表格和删除线）并写出其文本：标题、强调、链接和引用的标记去掉，图片留下说明，列表保留连字符和编号，行仍是行。公式、脚注和尖括号中的占位符保持原样。HTML 元素按 HTML 读取；页面的 front matter 去掉。',
    params: {
      tables: { title: '表格', help: 'MARKDOWN：表格保持 Markdown。DROP：去掉表格' },
      code: { title: '代码块', help: 'KEEP：保留代码，去掉围栏。DROP：去掉代码' },
    },
    examples: {
      'Markup is removed': '去掉标记',
      'Text that only looks like markup is kept': '只是像标记的保留',
      'Code without its fences': '代码去掉围栏',
      'Footnotes, formulas and placeholders are kept': '脚注、公式和占位符保留',
      'Code dropped': '或去掉代码',
      'Front matter is removed': '去掉 front matter',
      'Prose between two rules is kept': '两条分隔线之间的正文保留',
    },
  },
  each: ({ tables, code }) => {
    const htmlOf = createMarkdown(code);
    return (sample) => {
      const text = textOfHtml(readHtml(htmlOf(sample.text.replace(frontMatter, ''))), {
        tables,
        pictures: true,
      });
      return text === sample.text ? sample : { ...sample, text };
    };
  },
});
