import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { repeatedCharacterRuns } from '../text-ngrams.ts';

const reasons = defineSentences('character-repetition-filter', {
  REPEATED_CHARACTERS_ABOVE_MAX: 'share of repeated runs of {ngram} characters {share} is above max {max}',
});

export const characterRepetitionFilter = defineOperator({
  id: 'character-repetition-filter',
  version: '1.0.0',
  name: 'Filter by repeated characters',
  description:
    'Drops samples in which the share of repeated character n-grams exceeds `max`: drawn lines, filler, repeated phrases without spaces (as in the cleaning of ROOTS, Laurençon et al., 2022).',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    ngram: Type.Integer({
      title: 'Characters per n-gram',
      default: 10,
      minimum: 1,
      maximum: 100,
      description: 'Number of characters in an n-gram; use 5 for Chinese',
    }),
    max: Type.Number({
      title: 'Maximum share of repeated n-grams',
      default: 0.4,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'repeatedCharacters', description: 'Share of repeated 10-character n-grams', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'Running text',
      params: {},
      input: 'No ten characters of this line come again.',
      output: 'No ten characters of this line come again.',
    },
    {
      title: 'A drawn line',
      params: {},
      input: '====================',
      output: { drop: 'share of repeated runs of 10 characters 0.9091 is above max 0.4' },
    },
    {
      title: 'Chinese',
      params: { ngram: 5 },
      input: '哈哈哈哈哈哈哈哈哈哈',
      output: { drop: 'share of repeated runs of 5 characters 0.8333 is above max 0.4' },
    },
  ],
  chinese: {
    name: '按字符重复过滤',
    description:
      '剔除由 `ngram` 个字符组成的字符串中，超过 `max` 的在同一文本里先前出现过的样本：用符号画的线、填充文字、不断重复的短语（字符 n-gram，如 ROOTS 的清洗，Laurençon 等，2022）。',
    measures: { repeatedCharacters: '重复的十字符串所占的比例' },
    params: {
      ngram: { title: '字符串的字符数', help: '一个字符串的字符数；中文取 5' },
      max: { title: '重复字符串的最大占比', help: '保留的重复字符串的最大占比，0 到 1' },
    },
    examples: { 'Running text': '连贯的文本', 'A drawn line': '用符号画的线', Chinese: '中文' },
    reasons: { REPEATED_CHARACTERS_ABOVE_MAX: '重复的 {ngram} 字符串占比 {share}，超过上限 {max}' },
  },
  each:
    ({ ngram, max }) =>
    (sample) => {
      const share = repeatedCharacterRuns(sample.text, ngram);
      if (share > max) return drop(reasons.REPEATED_CHARACTERS_ABOVE_MAX.reason({ ngram, share, max }), share);
      return keep(sample, share);
    },
});
