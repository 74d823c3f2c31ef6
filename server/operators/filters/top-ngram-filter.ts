import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { topNgramLength } from '../text-ngrams.ts';
import { shareOf } from '../text-view.ts';

const reasons = defineSentences('top-ngram-filter', {
  TOP_NGRAM_ABOVE_MAX: 'share of characters in the commonest run of {ngram} words {share} is above max {max}',
});

export const topNgramFilter = defineOperator({
  id: 'top-ngram-filter',
  version: '1.0.0',
  name: 'Filter by the most common n-gram',
  description:
    'Drops samples in which the most common word n-gram makes up more than `max` of the characters (as in the Gopher rules, Rae et al., 2021: 0.2 for 2 words, 0.18 for 3, 0.16 for 4). Punctuation marks count as words; an n-gram that occurs only once does not count.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    ngram: Type.Integer({
      title: 'Words per n-gram',
      default: 2,
      minimum: 1,
      maximum: 20,
      description: 'Number of words in an n-gram',
    }),
    max: Type.Number({
      title: 'Maximum share of characters',
      default: 0.2,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'topPair', description: 'Share of characters in the most common pair of words', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'Running text',
      params: {},
      input: 'Every pair of words is here once.',
      output: 'Every pair of words is here once.',
    },
    {
      title: 'The same words over and over',
      params: {},
      input: 'buy now or buy now or buy now',
      output: { drop: 'share of characters in the commonest run of 2 words 0.7241 is above max 0.2' },
    },
    {
      title: 'Chinese',
      params: { ngram: 4, max: 0.16 },
      input: '限时优惠！限时优惠！今天下单。',
      output: { drop: 'share of characters in the commonest run of 4 words 0.5333 is above max 0.16' },
    },
  ],
  chinese: {
    name: '按最常见的词串过滤',
    description:
      '剔除由 `ngram` 个词组成的最常见词串占字符超过 `max` 的样本（如 Gopher 规则，Rae 等，2021：2 词取 0.2，3 词取 0.18，4 词取 0.16）。标点也算词，每个汉字算一个词；只出现一次的词串不计。',
    measures: { topPair: '最常见的两词词串所占的字符比例' },
    params: {
      ngram: { title: '词串的词数', help: '一个词串的词数' },
      max: { title: '字符的最大占比', help: '保留的最常见词串所占字符的最大比例，0 到 1' },
    },
    examples: { 'Running text': '连贯的文本', 'The same words over and over': '反复出现同样的词', Chinese: '中文' },
    reasons: { TOP_NGRAM_ABOVE_MAX: '最常见的 {ngram} 词词串占字符 {share}，超过上限 {max}' },
  },
  each:
    ({ ngram, max }, { texts }) =>
    (sample) => {
      const view = texts.of(sample.text);
      // Runs of one repeated word overlap.
      const share = Math.min(1, shareOf(topNgramLength(view.tokens, ngram), view.characters.all));
      return share > max ? drop(reasons.TOP_NGRAM_ABOVE_MAX.reason({ ngram, share, max }), share) : keep(sample, share);
    },
});
