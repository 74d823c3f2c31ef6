import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';

const reasons = defineSentences('sentence-count-filter', {
  SENTENCES_BELOW_MIN: '{count} sentences, below min {min}',
  SENTENCES_ABOVE_MAX: '{count} sentences, above max {max}',
});

export const sentenceCountFilter = defineOperator({
  id: 'sentence-count-filter',
  version: '1.0.0',
  name: 'Filter by number of sentences',
  description:
    'Drops samples with fewer than `min` or more than `max` sentences (as in the C4 rules, Raffel et al., 2020, which require at least 5). A sentence ends at punctuation such as . ! ? 。 ！ ？ and at the end of a line; the dot of an abbreviation such as "e.g." or of a number does not end one.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'length'],
  params: Type.Object({
    min: Type.Integer({
      title: 'Minimum sentences',
      default: 5,
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Samples with fewer sentences are dropped',
    }),
    max: Type.Integer({
      title: 'Maximum sentences',
      default: 1_000_000_000,
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Samples with more sentences are dropped',
    }),
  }),
  measures: [{ name: 'sentences', description: 'Number of sentences', scale: 'COUNT' }],
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
    {
      title: 'Enough sentences',
      params: { min: 2 },
      input: 'It rained. Dr. Hu left at 3.15 p.m.',
      output: 'It rained. Dr. Hu left at 3.15 p.m.',
    },
    { title: 'Chinese', params: { min: 3 }, input: '下雨了。他走了！真的？', output: '下雨了。他走了！真的？' },
    { title: 'Too few', params: {}, input: 'It rained. He left.', output: { drop: '2 sentences, below min 5' } },
  ],
  chinese: {
    name: '按句数过滤',
    description:
      '剔除少于 `min` 句或多于 `max` 句的样本（如 C4 规则，Raffel 等，2020，至少 5 句）。句子在 . ! ? 。 ！ ？ 等标点处和行末结束；“e.g.”等缩写和数中的点不算。',
    measures: { sentences: '句数' },
    params: {
      min: { title: '最少句数', help: '保留的最少句数' },
      max: { title: '最多句数', help: '保留的最多句数' },
    },
    examples: { 'Enough sentences': '句子足够', Chinese: '中文', 'Too few': '句子太少' },
    reasons: {
      SENTENCES_BELOW_MIN: '句数 {count} 低于下限 {min}',
      SENTENCES_ABOVE_MAX: '句数 {count} 超过上限 {max}',
    },
  },
  each:
    ({ min, max }, { texts }) =>
    (sample) => {
      const count = texts.of(sample.text).words.sentences;
      if (count < min) return drop(reasons.SENTENCES_BELOW_MIN.reason({ count, min }), count);
      if (count > max) return drop(reasons.SENTENCES_ABOVE_MAX.reason({ count, max }), count);
      return keep(sample, count);
    },
});
