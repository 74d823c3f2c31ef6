import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { duplicateNgramLength } from '../text-ngrams.ts';
import { shareOf } from '../text-view.ts';

const reasons = defineSentences('duplicate-ngram-filter', {
  DUPLICATE_NGRAMS_ABOVE_MAX: 'share of characters in repeated runs of {ngram} words {share} is above max {max}',
});

export const duplicateNgramFilter = defineOperator({
  id: 'duplicate-ngram-filter',
  version: '1.0.0',
  name: 'Filter by characters in repeated n-grams',
  description:
    'Drops samples in which repeated word n-grams make up more than `max` of the characters; no character counts twice (as in the Gopher rules, Rae et al., 2021: 0.15 for 5 words, 0.14 for 6, 0.13 for 7, 0.12 for 8, 0.11 for 9, 0.1 for 10). Punctuation marks count as words.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    ngram: Type.Integer({
      title: 'Words per n-gram',
      default: 10,
      minimum: 1,
      maximum: 50,
      description: 'Number of words in an n-gram',
    }),
    max: Type.Number({
      title: 'Maximum share of characters',
      default: 0.1,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'duplicateRuns', description: 'Share of characters in repeated 10-word n-grams', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'Running text',
      params: { ngram: 5, max: 0.15 },
      input: 'No five words of this line come again.',
      output: 'No five words of this line come again.',
    },
    {
      title: 'A repeated sentence',
      params: { ngram: 5, max: 0.15 },
      input: 'All rights are reserved here. All rights are reserved here.',
      output: { drop: 'share of characters in repeated runs of 5 words 0.4068 is above max 0.15' },
    },
    {
      title: 'Chinese',
      params: { ngram: 5, max: 0.15 },
      input: '点击这里查看。点击这里查看。',
      output: { drop: 'share of characters in repeated runs of 5 words 0.3571 is above max 0.15' },
    },
  ],
  chinese: {
    name: '按重复词串的字符占比过滤',
    description:
      '剔除先前出现过的 `ngram` 词词串占字符超过 `max` 的样本；每个词串只计一次（如 Gopher 规则，Rae 等，2021：5 词取 0.15，6 词 0.14，7 词 0.13，8 词 0.12，9 词 0.11，10 词 0.1）。标点也算词，每个汉字算一个词。',
    measures: { duplicateRuns: '重复的十词词串所占的字符比例' },
    params: {
      ngram: { title: '词串的词数', help: '一个词串的词数' },
      max: { title: '字符的最大占比', help: '保留的重复词串所占字符的最大比例，0 到 1' },
    },
    examples: { 'Running text': '连贯的文本', 'A repeated sentence': '重复的句子', Chinese: '中文' },
    reasons: { DUPLICATE_NGRAMS_ABOVE_MAX: '重复的 {ngram} 词词串占字符 {share}，超过上限 {max}' },
  },
  each:
    ({ ngram, max }, { texts }) =>
    (sample) => {
      const view = texts.of(sample.text);
      const share = shareOf(duplicateNgramLength(view.tokens, ngram), view.characters.all);
      return share > max
        ? drop(reasons.DUPLICATE_NGRAMS_ABOVE_MAX.reason({ ngram, share, max }), share)
        : keep(sample, share);
    },
});
