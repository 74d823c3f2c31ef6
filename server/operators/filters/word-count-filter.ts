import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';

const reasons = defineSentences('word-count-filter', { FEW_WORDS: '{words} words, below min {min}' });

export const wordCountFilter = defineOperator({
  id: 'word-count-filter',
  version: '1.0.0',
  name: 'Filter by word count',
  description: 'Drops samples with fewer than `min` words, separated by white space.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'length'],
  params: Type.Object({
    min: Type.Integer({
      title: 'Fewest words',
      default: 1,
      minimum: 0,
      maximum: 1_000_000,
      description: 'Fewest words that are kept',
    }),
  }),
  examples: [
    { title: 'Enough words', params: { min: 2 }, input: 'two words', output: 'two words' },
    { title: 'Too few', params: { min: 3 }, input: 'two words', output: { drop: '2 words, below min 3' } },
  ],
  thresholds: [{ param: 'min', direction: 'min' }],
  chinese: {
    name: '按词数过滤',
    description: '剔除词数少于 `min` 的样本，以空白分词。',
    params: { min: { title: '最少词数', help: '保留的最少词数' } },
    examples: { 'Enough words': '词数足够', 'Too few': '词数过少' },
    reasons: { FEW_WORDS: '词数 {words} 低于下限 {min}' },
  },
  each:
    ({ min }) =>
    (sample) => {
      const words = sample.text.split(/\s+/).filter((word) => word !== '').length;
      return words < min ? drop(reasons.FEW_WORDS.reason({ words, min }), words) : keep(sample, words);
    },
});
