import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';

const reasons = defineSentences('mean-word-length-filter', {
  MEAN_LENGTH_BELOW_MIN: 'mean word length {length} is below min {min}',
  MEAN_LENGTH_ABOVE_MAX: 'mean word length {length} is above max {max}',
});

export const meanWordLengthFilter = defineOperator({
  id: 'mean-word-length-filter',
  version: '1.0.0',
  name: 'Filter by mean word length',
  description:
    'Drops samples whose mean word length is below `min` or above `max` characters: letters separated by spaces, encoded data, lists of identifiers (as in the Gopher rules, Rae et al., 2021). Each Chinese character is a word.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    min: Type.Number({
      title: 'Minimum mean length',
      default: 3,
      minimum: 0,
      maximum: 1000,
      description: 'Samples with a smaller mean word length are dropped; use 1 or less for Chinese',
    }),
    max: Type.Number({
      title: 'Maximum mean length',
      default: 10,
      minimum: 0,
      maximum: 1000,
      description: 'Samples with a larger mean word length are dropped',
    }),
  }),
  measures: [{ name: 'meanWordLength', description: 'Mean length of words in characters', scale: 'VALUE' }],
  thresholds: [
    { param: 'min', direction: 'min' },
    { param: 'max', direction: 'max' },
  ],
  check: ({ min, max }) =>
    min > max
      ? {
          field: 'min',
          problem: parameterProblems.MUST_NOT_BE_GREATER.reason({ other: 'max', values: `${min} > ${max}` }),
        }
      : undefined,
  examples: [
    { title: 'Running text', params: {}, input: 'Words of the usual length.', output: 'Words of the usual length.' },
    {
      title: 'Letters separated by spaces',
      params: {},
      input: 'b u y n o w',
      output: { drop: 'mean word length 1 is below min 3' },
    },
    {
      title: 'Encoded data',
      params: {},
      input: 'iVBORw0KGgoAAAANSUhEUgAA',
      output: { drop: 'mean word length 24 is above max 10' },
    },
    { title: 'Chinese', params: { min: 1 }, input: '每个汉字算一个词。', output: '每个汉字算一个词。' },
  ],
  chinese: {
    name: '按平均词长过滤',
    description:
      '剔除平均词长少于 `min` 个或多于 `max` 个字符的样本：字母之间夹空格的文字、编码数据、标识符列表（如 Gopher 规则，Rae 等，2021）。每个汉字算一个词。',
    measures: { meanWordLength: '平均词长（字符数）' },
    params: {
      min: { title: '最短平均词长', help: '保留的最小平均词长；中文取 1 或更小' },
      max: { title: '最长平均词长', help: '保留的最大平均词长' },
    },
    examples: {
      'Running text': '连贯的文本',
      'Letters separated by spaces': '字母分开',
      'Encoded data': '编码数据',
      Chinese: '中文',
    },
    reasons: {
      MEAN_LENGTH_BELOW_MIN: '平均词长 {length} 低于下限 {min}',
      MEAN_LENGTH_ABOVE_MAX: '平均词长 {length} 超过上限 {max}',
    },
  },
  each:
    ({ min, max }, { texts }) =>
    (sample) => {
      const { words, wordLength } = texts.of(sample.text).words;
      const length = words === 0 ? 0 : Math.round((wordLength / words) * 10_000) / 10_000;
      if (length < min) return drop(reasons.MEAN_LENGTH_BELOW_MIN.reason({ length, min }), length);
      if (length > max) return drop(reasons.MEAN_LENGTH_ABOVE_MAX.reason({ length, max }), length);
      return keep(sample, length);
    },
});
