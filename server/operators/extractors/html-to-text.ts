import { decodeHTMLStrict } from 'entities';
import { Type } from 'typebox';
import { readHtml, textOfHtml } from '../../html/index.ts';
import { defineOperator } from '../operator.ts';

const anyTag = /<(?:[a-z]|\/[a-z]|!--|!doctype)/i;

export const htmlToText = defineOperator({
  id: 'html-to-text',
  version: '1.2.0',
  name: 'HTML to text',
  description:
    'Converts an HTML page to text. Scripts, styles, comments and hidden elements are removed with their content; character references become characters; paragraphs are separated by a blank line, and list items begin with a hyphen or their number. Code keeps its line breaks, tables become Markdown or are dropped, superscripts and subscripts become Unicode characters (10⁶), and MathML formulas become their TeX or their symbols. In a text without tags, only character references change. Spacing between elements follows the rendered text of the HTML Living Standard (3.2.7, innerText).',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['extraction', 'web'],
  params: Type.Object({
    tables: Type.Union([Type.Literal('MARKDOWN'), Type.Literal('DROP')], {
      title: 'Tables',
      default: 'MARKDOWN',
      description:
        'MARKDOWN: write data tables as Markdown. DROP: leave them out. Tables used only for page layout are read as text',
    }),
  }),
  examples: [
    {
      title: 'Paragraphs and lists',
      params: {},
      input: '<h1>Title</h1><p>One &amp; <b>two</b>.<p>Three.<ul><li>a<li><p>b</p></ul><ol start=3><li>c<li>d</ol>',
      output: 'Title\n\nOne & two.\n\nThree.\n\n- a\n- b\n\n3. c\n4. d',
    },
    {
      title: 'Scripts, styles and comments are removed',
      params: {},
      input: '<style>p{}</style><script>if (a < b) f("<p>")</script><!-- no --><p>数据&#x6E05;洗</p>',
      output: '数据清洗',
    },
    {
      title: 'Tables become Markdown',
      params: {},
      input: '<table><tr><th>Name<th>Size<tr><td>a|b<td>1</table>',
      output: '| Name | Size |\n| --- | --- |\n| a\\|b | 1 |',
    },
    {
      title: 'Tables dropped',
      params: { tables: 'DROP' },
      input: '<p>x</p><table><tr><td>a<td>1<tr><td>b<td>2</table><p>y</p>',
      output: 'x\n\ny',
    },
    {
      title: 'Code keeps its line breaks',
      params: {},
      input: '<p>Run:</p><pre>if x:\n    y()</pre>',
      output: 'Run:\n\nif x:\n    y()',
    },
    {
      title: 'Superscripts are kept',
      params: {},
      input: '<p>10<sup>6</sup>, 2<sup>53</sup>-1, 10<sup>n</sup>, 1<sup>st</sup></p>',
      output: '10⁶, 2⁵³-1, 10^n, 1st',
    },
    {
      title: 'Tags inside a word do not split it',
      params: {},
      input: '<p>H<sub>2</sub>O and <i>re</i>lease</p>',
      output: 'H₂O and release',
    },
    { title: 'Text without tags is unchanged', params: {}, input: 'a\n  b &lt; c', output: 'a\n  b < c' },
  ],
  chinese: {
    name: 'HTML 转文本',
    description:
      '读取 HTML 页面并写出其文本：脚本、样式、注释和隐藏元素连同内容去掉，字符引用变为字符，段落之间空一行，列表项前加连字符或编号；代码保留换行，表格写成 Markdown 或去掉。没有标签的文本只有字符引用会变。元素之间如何分开依照 HTML 标准的渲染文本（3.2.7，innerText）。',
    params: {
      tables: {
        title: '表格',
        help: 'MARKDOWN：数据表格写成 Markdown。DROP：去掉数据表格。仅用于排版的表格按文本读取',
      },
    },
    examples: {
      'Paragraphs and lists': '段落和列表',
      'Scripts, styles and comments are removed': '去掉脚本、样式和注释',
      'Tables become Markdown': '表格写成 Markdown',
      'Tables dropped': '或去掉表格',
      'Code keeps its line breaks': '代码保留换行',
      'Superscripts are kept': '乘方仍是乘方',
      'Tags inside a word do not split it': '词内的标签不拆开词',
      'Text without tags is unchanged': '没有标签的文本保留',
    },
  },
  each:
    ({ tables }) =>
    (sample) => {
      const { text: given } = sample;
      const text = anyTag.test(given)
        ? textOfHtml(readHtml(given), { tables })
        : given.replaceAll(/&#?\w{1,32};/g, (found) => decodeHTMLStrict(found));
      return text === given ? sample : { ...sample, text };
    },
});
