import { decodeHTMLStrict } from 'entities';
import { Type } from 'typebox';
import { scriptOf, scriptText } from '../../html/index.ts';
import { defineOperator } from '../operator.ts';
import { forEachTag } from './html-tags.ts';

/** Elements that start a new line. */
const blockElements = new Set(
  (
    'address article aside blockquote body br caption dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'head header hr html li main nav ol option p pre section table tbody td tfoot th thead title tr ul'
  ).split(' '),
);

const entity = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z\d]{1,31});/g;

export const htmlTagRemover = defineOperator({
  id: 'html-tag-remover',
  version: '2.3.0',
  name: 'Remove HTML tags',
  description:
    'Removes HTML tags, comments, scripts and styles from texts, writes a line break where a block begins or ends, and decodes character references. Only HTML elements count: `#include <x.h>`, `<name@example.org>`, `<https://example.org>` and placeholders such as `<title>` that are never closed are kept; where a start tag is kept, its end tag is kept too.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['cleaning', 'web'],
  params: Type.Object({
    lineBreaks: Type.Boolean({
      title: 'Line breaks for blocks',
      default: true,
      description: 'Write a line break for block tags (p, div, li, br …); otherwise they are removed without a trace',
    }),
    decodeEntities: Type.Boolean({
      title: 'Decode character references',
      default: true,
      description: 'Convert character references (&amp;, &#8212;) to characters',
    }),
  }),
  measures: [{ name: 'tags', description: 'HTML tags, comments and declarations', scale: 'COUNT' }],
  measure: ({ text }) => [text.includes('<') ? countTags(text) : 0],
  examples: [
    { title: 'Tags are removed', params: {}, input: 'a <b class="x">bold</b> word', output: 'a bold word' },
    {
      title: 'Blocks become lines',
      params: {},
      input: '<p>one</p><p>two<br>three</p>',
      output: '\none\n\ntwo\nthree\n',
    },
    {
      title: 'Without line breaks for blocks',
      params: { lineBreaks: false },
      input: '<p>one</p><p>two</p>',
      output: 'onetwo',
    },
    {
      title: 'Scripts, styles and comments are removed with their content',
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
    { title: 'Superscripts are kept', params: {}, input: '10<sup>6</sup>, 1<sup>st</sup>', output: '10⁶, 1st' },
    { title: 'A < that begins no tag is kept', params: {}, input: 'if a < b and c > d', output: 'if a < b and c > d' },
    { title: 'An unfinished tag is kept', params: {}, input: 'a <b', output: 'a <b' },
    {
      title: 'Anything but HTML elements is kept',
      params: {},
      input: '#include <stdio.h>\n#include <map>\nJane <jane@example.org>, <https://example.org/a>, List<Integer>',
      output: '#include <stdio.h>\n#include <map>\nJane <jane@example.org>, <https://example.org/a>, List<Integer>',
    },
    {
      title: 'Comparisons are kept',
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
      title: 'Manual page options, C++ templates and regular expression groups are kept',
      params: {},
      input: 'git [--thread[=<style>]] merge.<option> Impl<P>, (?<p>x) <?xml}',
      output: 'git [--thread[=<style>]] merge.<option> Impl<P>, (?<p>x) <?xml}',
    },
    {
      title: 'Merely mentioning a comment or script removes nothing else',
      params: {},
      input: "* ignore <script>\n\ntext\n\n* and </script>, perl -e 's/(?<!--)x//'\n\nmore --> end",
      output: "* ignore <script>\n\ntext\n\n* and </script>, perl -e 's/(?<!--)x//'\n\nmore --> end",
    },
    {
      title: 'A placeholder that is never closed is kept',
      params: {},
      input: 'usage: publish <title> <source>',
      output: 'usage: publish <title> <source>',
    },
    {
      title: 'An element mentioned with its end tag is kept',
      params: {},
      input: '<b>see</b> <b or strong>x</b>, <b>y</b>',
      output: 'see <b or strong>x</b>, y',
    },
    { title: 'Symbols in quotes are part of the tag', params: {}, input: '<a title="1 > 0">x</a>', output: 'x' },
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
      'Tags are removed': '去掉标签',
      'Blocks become lines': '块变为行',
      'Without line breaks for blocks': '也可不换行',
      'Scripts, styles and comments are removed with their content': '脚本、样式和注释连同内容一并去掉',
      'Whatever attributes they have': '无论带有什么属性',
      'References become characters': '字符引用变为字符',
      'Superscripts are kept': '乘方仍是乘方',
      'A < that begins no tag is kept': '不构成标签的符号保留',
      'An unfinished tag is kept': '没有结束的标签保留',
      'Anything but HTML elements is kept': '不是 HTML 元素的保留',
      'Comparisons are kept': '比较式保留',
      'End tags count however they are written': '结束标签无论怎样书写都算数',
      'Manual page options, C++ templates and regular expression groups are kept':
        '手册的选项、C++ 的模板和正则表达式的分组保留',
      'Merely mentioning a comment or script removes nothing else': '只是提到的注释或脚本不会带走其他内容',
      'A placeholder that is never closed is kept': '没有结束标签的占位符保留',
      'An element mentioned with its end tag is kept': '只是提到的标签与其结束标签一同保留',
      'Symbols in quotes are part of the tag': '引号中的符号属于标签',
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

/** A cache of decoded references: texts repeat a few of them. */
const decoded = new Map<string, string>();
const maxDecoded = 4096;

/** The character of a reference as in browsers (HTML Living Standard, 13.2.5.72); an invalid reference stays. */
function decode(reference: string): string {
  const known = decoded.get(reference);
  if (known !== undefined) return known;
  const character = decodeHTMLStrict(reference);
  const result = character === '\ufffd' ? reference : character;
  if (decoded.size < maxDecoded) decoded.set(reference, result);
  return result;
}
