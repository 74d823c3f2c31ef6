import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop } from '../operator.ts';
import {
  asText,
  chineseColumnReasons,
  chineseMissing,
  columnSentences,
  missingParam,
  shortened,
  valueOf,
} from './columns.ts';

const reasons = defineSentences('number-filter', {
  NUMBER_OUT: '{column} is {number}, not {comparison} {value}',
});

const comparisons = {
  GE: { sign: '≥', holds: (one: number, other: number) => one >= other },
  GT: { sign: '>', holds: (one: number, other: number) => one > other },
  LE: { sign: '≤', holds: (one: number, other: number) => one <= other },
  LT: { sign: '<', holds: (one: number, other: number) => one < other },
  EQ: { sign: '=', holds: (one: number, other: number) => one === other },
  NE: { sign: '≠', holds: (one: number, other: number) => one !== other },
} as const;

export const numberFilter = defineOperator({
  id: 'number-filter',
  version: '1.0.0',
  name: 'Filter by a number in a column',
  description:
    'Drops samples whose number in a column does not satisfy a comparison. Texts that are plain numbers count as numbers, as in CSV; samples with null or another value are dropped, and the reason says so.',
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
      description: 'Column that contains the number',
    }),
    comparison: Type.Union(
      [
        Type.Literal('GE'),
        Type.Literal('GT'),
        Type.Literal('LE'),
        Type.Literal('LT'),
        Type.Literal('EQ'),
        Type.Literal('NE'),
      ],
      {
        title: 'Comparison',
        default: 'GE',
        description: 'GE: at least. GT: more than. LE: at most. LT: less than. EQ: equal. NE: not equal',
      },
    ),
    value: Type.Number({
      title: 'Value',
      default: 0,
      minimum: -1e15,
      maximum: 1e15,
      description: 'Value to compare the number with',
    }),
    missing: missingParam,
  }),
  examples: [
    { title: 'At least', params: { column: 'score', value: 0.5 }, input: '{"score":0.5}', output: '{"score":0.5}' },
    {
      title: 'Too little',
      params: { column: 'score', value: 0.5 },
      input: '{"score":"0.25"}',
      output: { drop: '"score" is 0.25, not ≥ 0.5' },
    },
    {
      title: 'Not a number',
      params: { column: 'score', value: 0.5 },
      input: '{"score":null}',
      output: { drop: '"score" is null, which is no NUMBER' },
    },
  ],
  chinese: {
    name: '按列中的数字过滤',
    description: '剔除列中数字与给定值的比较不成立的样本。纯数字的文本（如 CSV）也算数字；null 和其他值以此为由剔除。',
    params: {
      column: { title: '列', help: '存放数字的列' },
      comparison: { title: '比较', help: 'GE：不小于。GT：大于。LE：不大于。LT：小于。EQ：等于。NE：不等于' },
      value: { title: '值', help: '与之比较的数' },
      missing: chineseMissing,
    },
    examples: { 'At least': '不小于', 'Too little': '太小', 'Not a number': '不是数字' },
    reasons: { ...chineseColumnReasons, NUMBER_OUT: '{column} 为 {number}，不满足 {comparison} {value}' },
  },
  each: ({ column, comparison, value: wanted, missing }) => {
    const { sign, holds } = comparisons[comparison];
    const name = JSON.stringify(column);
    return (sample) => {
      const value = valueOf(sample.columns, column, missing);
      if (value === undefined) return sample;
      const text = asText(value).trim();
      const number =
        typeof value === 'number' || /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)
          ? Number(text)
          : Number.NaN;
      if (Number.isNaN(number)) {
        return drop(
          columnSentences.COLUMN_NOT_OF_KIND.reason({ column: name, value: shortened(value), kind: 'NUMBER' }),
        );
      }
      return holds(number, wanted)
        ? sample
        : drop(
            reasons.NUMBER_OUT.reason({
              column: name,
              number: typeof value === 'number' ? value : text,
              comparison: sign,
              value: wanted,
            }),
          );
    };
  },
});
