import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { shareOf } from '../text-view.ts';

const reasons = defineSentences('punctuation-ratio-filter', {
  PUNCTUATION_SHARE_ABOVE_MAX: 'share of punctuation {share} is above max {max}',
});

export const punctuationRatioFilter = defineOperator({
  id: 'punctuation-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of punctuation',
  description:
    'Drops samples in which the share of punctuation marks (Unicode category P) exceeds `max`: tables of contents, code, lines drawn with punctuation.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    max: Type.Number({
      title: 'Maximum share of punctuation',
      default: 0.2,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'punctuation', description: 'Share of punctuation marks', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    { title: 'Running text', params: {}, input: 'A sentence, with a comma.', output: 'A sentence, with a comma.' },
    {
      title: 'Lines drawn with punctuation',
      params: {},
      input: 'Chapter ...........',
      output: { drop: 'share of punctuation 0.5789 is above max 0.2' },
    },
    { title: 'Chinese', params: {}, input: '数据清洗，是机器学习的第一步。', output: '数据清洗，是机器学习的第一步。' },
  ],
  chinese: {
    name: '按标点占比过滤',
    description: '剔除超过 `max` 的字符是标点（Unicode 的 P 类）的样本：目录、代码、用标点画的线。',
    measures: { punctuation: '标点所占的比例' },
    params: { max: { title: '标点的最大占比', help: '保留的标点的最大占比，0 到 1' } },
    examples: { 'Running text': '连贯的文本', 'Lines drawn with punctuation': '用标点画的线', Chinese: '中文' },
    reasons: { PUNCTUATION_SHARE_ABOVE_MAX: '标点占比 {share}，超过上限 {max}' },
  },
  each:
    ({ max }, { texts }) =>
    (sample) => {
      const { punctuation, all } = texts.of(sample.text).characters;
      const share = shareOf(punctuation, all);
      return share > max
        ? drop(reasons.PUNCTUATION_SHARE_ABOVE_MAX.reason({ share, max }), share)
        : keep(sample, share);
    },
});
