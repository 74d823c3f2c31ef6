import { Type } from 'typebox';
import { columnsParam, defineColumnMapper, eachColumn, missingParam } from './columns.ts';

export const columnTrimmer = defineColumnMapper({
  id: 'column-trimmer',
  version: '1.1.0',
  name: 'Trim columns',
  description:
    'Removes Unicode white space, including the ideographic space, from both ends of texts in columns and, optionally, collapses white space within them to one space. Other values are unchanged.',
  params: Type.Object({
    columns: columnsParam,
    inner: Type.Boolean({
      title: 'Collapse inner white space',
      default: false,
      description: 'Replace each run of white space with one space',
    }),
    missing: missingParam,
  }),
  examples: [
    {
      title: 'Both ends',
      params: { columns: ['a'] },
      input: '{"a":"\u3000数据 \\n","b":" "}',
      output: '{"a":"数据","b":" "}',
    },
    {
      title: 'Within',
      params: { columns: ['a'], inner: true },
      input: '{"a":" one \\t two"}',
      output: '{"a":"one two"}',
    },
    { title: 'Numbers are unchanged', params: { columns: ['a'] }, input: '{"a":1}', output: '{"a":1}' },
  ],
  chinese: {
    name: '去掉列首尾空白',
    description: '去掉列中文本首尾的 Unicode 空白（包括全角空格），可选把中间的连续空白变为一个空格。其他值不变。',
    params: {
      inner: { title: '包括中间', help: '连续空白变为一个空格' },
    },
    examples: { 'Both ends': '首尾', Within: '中间', 'Numbers are unchanged': '数字不变' },
  },
  each: ({ inner, ...at }) =>
    eachColumn(at, (value) => {
      if (typeof value !== 'string') return value;
      return inner ? value.trim().replaceAll(/\s+/g, ' ') : value.trim();
    }),
});
