import { Type } from 'typebox';
import { columnsParam, defineColumnMapper, eachColumn, missingParam } from './columns.ts';

const writers = {
  LOWER: (text: string): string => text.toLowerCase(),
  UPPER: (text: string): string => text.toUpperCase(),
  TITLE: (text: string): string =>
    text.toLowerCase().replaceAll(/(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase()),
};

export const columnCaseNormalizer = defineColumnMapper({
  id: 'column-case-normalizer',
  version: '1.1.0',
  name: 'Change the case of columns',
  description:
    'Converts texts in columns to lower case, upper case or title case by the rules of Unicode. Other values are unchanged.',
  params: Type.Object({
    columns: columnsParam,
    case: Type.Union([Type.Literal('LOWER'), Type.Literal('UPPER'), Type.Literal('TITLE')], {
      title: 'Case',
      default: 'LOWER',
      description: 'LOWER: lower case. UPPER: upper case. TITLE: the first letter of each word is capitalized',
    }),
    missing: missingParam,
  }),
  examples: [
    {
      title: 'Lower case',
      params: { columns: ['a'] },
      input: '{"a":"ÉCOLE 数据","b":"X"}',
      output: '{"a":"école 数据","b":"X"}',
    },
    {
      title: 'Upper case',
      params: { columns: ['a'], case: 'UPPER' },
      input: '{"a":"straße"}',
      output: '{"a":"STRASSE"}',
    },
    {
      title: 'Words',
      params: { columns: ['a'], case: 'TITLE' },
      input: '{"a":"jANE o\u2019neill-smith"}',
      output: '{"a":"Jane O\u2019neill-Smith"}',
    },
  ],
  chinese: {
    name: '列的大小写',
    description: '按 Unicode 规则把列中的文本写成小写、大写或每词首字母大写。其他值不变。',
    params: {
      case: { title: '大小写', help: 'LOWER：小写。UPPER：大写。TITLE：每词首字母大写' },
    },
    examples: { 'Lower case': '小写', 'Upper case': '大写', Words: '按词' },
  },
  each: ({ case: to, ...at }) => eachColumn(at, (value) => (typeof value === 'string' ? writers[to](value) : value)),
});
