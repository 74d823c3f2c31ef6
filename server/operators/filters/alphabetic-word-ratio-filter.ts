import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { shareOf } from '../text-view.ts';

const reasons = defineSentences('alphabetic-word-ratio-filter', {
  ALPHABETIC_SHARE_BELOW_MIN: 'share of words with letters {share} is below min {min}',
});

export const alphabeticWordRatioFilter = defineOperator({
  id: 'alphabetic-word-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of words with letters',
  description:
    'Drops samples in which the share of tokens that contain a letter is below `min`: number tables, code, logs (as in the Gopher rules, Rae et al., 2021, which use 0.8). Tokens are words, numbers and punctuation marks; each Chinese character is a token.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    min: Type.Number({
      title: 'Minimum share of words with letters',
      default: 0.8,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a smaller share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'alphabeticWords', description: 'Share of tokens that contain a letter', scale: 'SHARE' }],
  thresholds: [{ param: 'min', direction: 'min' }],
  examples: [
    {
      title: 'Running text',
      params: {},
      input: 'A sentence of seven words with letters.',
      output: 'A sentence of seven words with letters.',
    },
    { title: 'Chinese', params: {}, input: '数据清洗是机器学习的第一步。', output: '数据清洗是机器学习的第一步。' },
    {
      title: 'Numbers only',
      params: {},
      input: 'total 1 2 3 4',
      output: { drop: 'share of words with letters 0.2 is below min 0.8' },
    },
  ],
  chinese: {
    name: '按含字母的词占比过滤',
    description:
      '剔除含字母的词元少于 `min` 的样本：数字表格、代码、日志（如 Gopher 规则，Rae 等，2021，取 0.8）。词元是词、数和标点；每个汉字算一个。',
    measures: { alphabeticWords: '含字母的词元所占的比例' },
    params: { min: { title: '含字母的词的最小占比', help: '保留的含字母的词元的最小占比，0 到 1' } },
    examples: { 'Running text': '连贯的文本', Chinese: '中文', 'Numbers only': '数字' },
    reasons: { ALPHABETIC_SHARE_BELOW_MIN: '含字母的词占比 {share}，低于下限 {min}' },
  },
  each:
    ({ min }, { texts }) =>
    (sample) => {
      const view = texts.of(sample.text);
      const share = shareOf(view.words.alphabetic, view.tokens.count);
      return share < min ? drop(reasons.ALPHABETIC_SHARE_BELOW_MIN.reason({ share, min }), share) : keep(sample, share);
    },
});
