import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { hashShingles } from '../shingles.ts';

const reasons = defineSentences('repetition-filter', {
  REPEATED_SHARE_ABOVE_MAX: 'share of repeated runs of {ngram} words {share} is above max {max}',
});

export const repetitionFilter = defineOperator({
  id: 'repetition-filter',
  version: '1.0.0',
  name: 'Filter by repetition',
  description:
    'Drops repetitive samples: those in which the share of repeated word n-grams exceeds `max` (as in the Gopher rules, Rae et al., 2021).',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    ngram: Type.Integer({
      title: 'Words per n-gram',
      default: 5,
      minimum: 1,
      maximum: 20,
      description: 'Number of words in an n-gram',
    }),
    max: Type.Number({
      title: 'Maximum share of repeated n-grams',
      default: 0.3,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'repetition', description: 'Share of repeated word n-grams', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'Running text',
      params: {},
      input: 'No two runs of words are the same here at all.',
      output: 'No two runs of words are the same here at all.',
    },
    {
      title: 'The same line over and over',
      params: { ngram: 2 },
      input: 'buy now buy now buy now',
      output: { drop: 'share of repeated runs of 2 words 0.6 is above max 0.3' },
    },
    {
      title: 'The limit itself is kept',
      params: { ngram: 2, max: 0.6 },
      input: 'buy now buy now buy now',
      output: 'buy now buy now buy now',
    },
    { title: 'Too short to repeat an n-gram', params: {}, input: 'a a a', output: 'a a a' },
  ],
  chinese: {
    name: '按重复过滤',
    description:
      '剔除反复说同样内容的样本：由 `ngram` 个词组成的词串中，超过 `max` 的在同一文本里先前出现过（如 Gopher 语料的规则，Rae 等，2021）。',
    measures: { repetition: '重复词组所占的比例' },
    params: {
      ngram: { title: '词串的词数', help: '一个词串的词数' },
      max: { title: '重复词串的最大占比', help: '保留的重复词串的最大占比，0 到 1' },
    },
    examples: {
      'Running text': '连贯的文本',
      'The same line over and over': '同一行反复出现',
      'The limit itself is kept': '等于上限的保留',
      'Too short to repeat an n-gram': '太短，无从重复',
    },
    reasons: {
      REPEATED_SHARE_ABOVE_MAX: '重复的 {ngram} 词片段占比 {share}，超过上限 {max}',
    },
  },
  each:
    ({ ngram, max }) =>
    (sample) => {
      const share = repeatedShare(sample.text, ngram);
      if (share > max) return drop(reasons.REPEATED_SHARE_ABOVE_MAX.reason({ ngram, share, max }), share);
      return keep(sample, share);
    },
});

/** Share of word n-grams that occurred before, to four decimals. */
function repeatedShare(text: string, ngram: number): number {
  const seen = new Set<number>();
  let runs = 0;
  hashShingles(text, ngram, (shingle) => {
    seen.add(shingle);
    runs += 1;
  });
  return runs === 0 ? 0 : Math.round(((runs - seen.size) / runs) * 10_000) / 10_000;
}
