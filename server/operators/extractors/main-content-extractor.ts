import { Type } from 'typebox';
import { mainContentOf, readHtml, textOfHtml } from '../../html/index.ts';
import { defineOperator } from '../operator.ts';

export const mainContentExtractor = defineOperator({
  id: 'main-content-extractor',
  version: '1.3.0',
  name: 'Extract the main content of a page',
  description:
    'Extracts the text of the main content of an HTML page: menus, page headers and footers, sidebars, forms, consent notices and link lists are removed. The purpose of an element is determined by its name, role, class and id, and by how much of its text is links (link density: Kohlschütter, Fankhauser, Nejdl, "Boilerplate Detection using Shallow Text Features", 2010). If these rules leave nearly nothing of a page, such as one that stands in a form as a whole, they are relaxed level by level. A text without tags is unchanged.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['extraction', 'web'],
  params: Type.Object({
    tables: Type.Union([Type.Literal('MARKDOWN'), Type.Literal('DROP')], {
      title: 'Tables',
      default: 'MARKDOWN',
      description: 'MARKDOWN: write data tables as Markdown. DROP: leave them out',
    }),
  }),
  examples: [
    {
      title: 'Menus and footers are removed',
      params: {},
      input:
        '<body><nav><a href="/">Home</a> <a href="/b">Blog</a></nav><main><h1>Title</h1><p>A paragraph of text.</p></main><footer>© 2024</footer></body>',
      output: 'Title\n\nA paragraph of text.',
    },
    {
      title: 'Recognized by class, in Chinese',
      params: {},
      input:
        '<div class="sidebar"><a href="#">热门</a></div><div class="article-content"><p>数据清洗是机器学习的第一步。</p></div><div id="footer">版权所有</div>',
      output: '数据清洗是机器学习的第一步。',
    },
    {
      title: 'Link lists are removed',
      params: {},
      input:
        '<div><p>The text of the page, which goes on for a while, and has <a href="/x">a link</a>.</p><ul><li><a href="/a">More of this</a></li><li><a href="/b">More of that</a></li></ul></div>',
      output: 'The text of the page, which goes on for a while, and has a link.',
    },
    {
      title: 'A page with only links keeps them',
      params: {},
      input:
        '<h1>A–Z</h1><ul><li><a href="/a">Apples</a></li><li><a href="/b">Bees</a></li><li><a href="/c">Cherries</a></li></ul>',
      output: 'A–Z\n\n- Apples\n- Bees\n- Cherries',
    },
    {
      title: 'A form around the whole page is no form',
      params: {},
      input:
        '<body><form action="./page.aspx"><nav><a href="/">Home</a></nav><h1>Title</h1><p>A paragraph of text.</p></form></body>',
      output: 'Title\n\nA paragraph of text.',
    },
    { title: 'Text without tags is unchanged', params: {}, input: 'a < b\nc', output: 'a < b\nc' },
  ],
  chinese: {
    name: '提取网页正文',
    description:
      '读取 HTML 页面并写出正文：菜单、页头页脚、侧栏、表单、Cookie 提示和链接列表去掉。根据元素的名称、角色、class 和 id，以及其中链接文字的比例判断用途（链接密度：Kohlschütter、Fankhauser、Nejdl，"Boilerplate Detection using Shallow Text Features"，2010）。如果这些规则几乎什么都不留（例如整个页面都在一个表单里），则逐级放宽。没有标签的文本保持不变。',
    params: { tables: { title: '表格', help: 'MARKDOWN：数据表格写成 Markdown。DROP：去掉数据表格' } },
    examples: {
      'Menus and footers are removed': '去掉菜单和页脚',
      'Recognized by class, in Chinese': '按 class 判断，中文',
      'Link lists are removed': '去掉链接列表',
      'A page with only links keeps them': '只有链接的页面保留链接',
      'A form around the whole page is no form': '包住整个页面的表单不算表单',
      'Text without tags is unchanged': '没有标签的文本保留',
    },
  },
  each:
    ({ tables }) =>
    (sample) => {
      if (!/<(?:[a-z]|!doctype)/i.test(sample.text)) return sample;
      const { root, skips } = mainContentOf(readHtml(sample.text));
      return { ...sample, text: textOfHtml(root, { tables, skips }) };
    },
});
