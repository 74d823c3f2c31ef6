import { Type } from 'typebox';
import { readXml, textOfXml } from '../../html/index.ts';
import { defineOperator } from '../operator.ts';
import { itemsOf, listParam } from '../list-param.ts';

const anyTag = /<(?:[\p{L}_]|\?xml|!--|!\[CDATA\[|!DOCTYPE)/iu;

export const xmlToText = defineOperator({
  id: 'xml-to-text',
  version: '1.2.0',
  name: 'XML to text',
  description:
    'Converts an XML document to text: each element is written on its own line; elements within a sentence stay in it. Character references and CDATA become characters (XML 1.0, 2.4 and 4.1); attributes, comments and entities declared in the document are ignored. A document that is not well-formed is read as far as possible; a text without tags is unchanged.',
  modality: 'TEXT',
  kind: 'MAPPER',
  categories: ['extraction'],
  params: Type.Object({
    elements: listParam({
      title: 'Only these elements',
      description: 'Names of elements, such as title and p; empty: all',
    }),
    without: listParam({
      title: 'Without these elements',
      description: 'Names of elements to leave out with their content',
    }),
  }),
  examples: [
    {
      title: 'Elements become lines',
      params: {},
      input: '<?xml version="1.0"?><book id="1"><title>数据 &amp; 清洗</title><!-- no --><p>One <i>two</i>.</p></book>',
      output: '数据 & 清洗\nOne two.',
    },
    {
      title: 'Only some elements',
      params: { elements: ['p'], without: ['note'] },
      input: '<d><t>T</t><x:p>a<note>n</note></x:p><s><p>b<br/>c</p></s></d>',
      output: 'a\nbc',
    },
    { title: 'CDATA is read as text', params: {}, input: '<a><![CDATA[x < y && z]]></a>', output: 'x < y && z' },
    { title: 'Text without tags is unchanged', params: {}, input: 'a < b\n  c', output: 'a < b\n  c' },
  ],
  chinese: {
    name: 'XML 转文本',
    description:
      '读取 XML 文档并写出其文本：每个元素一行，夹在文字中的元素留在句中。字符引用和 CDATA 变为字符（XML 1.0，2.4 和 4.1）；属性、注释和文档自行声明的实体不成为文本。格式不正确的尽量读取；没有标签的文本保持不变。',
    params: {
      elements: { title: '只取这些元素', help: '元素名，如 title 和 p；不填表示全部' },
      without: { title: '不取这些元素', help: '连同内容一并去掉的元素名' },
    },
    examples: {
      'Elements become lines': '元素成为行',
      'Only some elements': '部分元素',
      'CDATA is read as text': 'CDATA 是文本',
      'Text without tags is unchanged': '没有标签的文本保留',
    },
  },
  each: ({ elements, without }) => {
    const options = { elements: new Set(itemsOf(elements)), without: new Set(itemsOf(without)) };
    return (sample) =>
      anyTag.test(sample.text) ? { ...sample, text: textOfXml(readXml(sample.text), options) } : sample;
  },
});
