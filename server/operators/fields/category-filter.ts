import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop } from '../operator.ts';
import { asText, chineseColumnReasons, chineseMissing, missingParam, shortened, valueOf } from './columns.ts';
import { itemsOf, listParam } from '../list-param.ts';

const reasons = defineSentences('category-filter', {
  NOT_AMONG: '{column} is {value}, which is not among those that are kept',
  AMONG: '{column} is {value}, which is among those that are dropped',
});

export const categoryFilter = defineOperator({
  id: 'category-filter',
  version: '1.1.0',
  name: 'Filter by the value of a column',
  description:
    'Keeps or drops samples whose column has one of the listed values. Texts are compared exactly or ignoring case; other values are compared by their JSON, such as 1, true or null.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['fields', 'filter'],
  reads: ['columns'],
  params: Type.Object({
    column: Type.String({
      title: 'Column',
      default: 'text',
      minLength: 1,
      maxLength: 200,
      description: 'Column whose value is compared',
    }),
    values: listParam({ title: 'Values', maxItems: 50_000, longest: 10_000, description: 'Values to compare with' }),
    mode: Type.Union([Type.Literal('KEEP'), Type.Literal('DROP')], {
      title: 'Action',
      default: 'KEEP',
      description: 'KEEP: keep only samples with one of the values. DROP: drop them',
    }),
    ignoreCase: Type.Boolean({
      title: 'Ignore case',
      default: false,
      description: 'Treat upper and lower case as the same',
    }),
    missing: missingParam,
  }),
  examples: [
    {
      title: 'Kept',
      params: { column: 'lang', values: ['en', 'zh'] },
      input: '{"lang":"zh"}',
      output: '{"lang":"zh"}',
    },
    {
      title: 'Another value',
      params: { column: 'lang', values: ['en', 'zh'] },
      input: '{"lang":"zh-TW"}',
      output: { drop: '"lang" is "zh-TW", which is not among those that are kept' },
    },
    {
      title: 'Dropped',
      params: { column: 'ok', values: ['false', 'null'], mode: 'DROP' },
      input: '{"ok":false}',
      output: { drop: '"ok" is false, which is among those that are dropped' },
    },
  ],
  chinese: {
    name: '按列值过滤',
    description:
      '保留或剔除列值属于给定值的样本。文本按原样比较，可选不分大小写；其他值按 JSON 比较，如 1、true 或 null。',
    params: {
      column: { title: '列', help: '由其值决定的列' },
      values: { title: '值', help: '用逗号分隔；含逗号的值加引号' },
      mode: { title: '处理方式', help: 'KEEP：保留这些值的样本。DROP：剔除它们' },
      ignoreCase: { title: '忽略大小写', help: '大小写是否视为相同' },
      missing: chineseMissing,
    },
    examples: { Kept: '保留', 'Another value': '其他值', Dropped: '剔除' },
    reasons: {
      ...chineseColumnReasons,
      NOT_AMONG: '{column} 为 {value}，不在保留的值中',
      AMONG: '{column} 为 {value}，在剔除的值中',
    },
  },
  each: ({ column, values, mode, ignoreCase, missing }) => {
    const keyOf = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
    const known = new Set(itemsOf(values).map(keyOf));
    const name = JSON.stringify(column);
    return (sample) => {
      const value = valueOf(sample.columns, column, missing);
      if (value === undefined) return sample;
      const isKnown = known.has(keyOf(value === null ? 'null' : asText(value)));
      if (isKnown === (mode === 'KEEP')) return sample;
      const shown = { column: name, value: shortened(value) };
      return drop((isKnown ? reasons.AMONG : reasons.NOT_AMONG).reason(shown));
    };
  },
});
