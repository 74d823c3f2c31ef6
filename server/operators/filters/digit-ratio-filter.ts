import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { shareOf } from '../text-view.ts';

const reasons = defineSentences('digit-ratio-filter', {
  DIGIT_SHARE_ABOVE_MAX: 'share of digits {share} is above max {max}',
});

export const digitRatioFilter = defineOperator({
  id: 'digit-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of digits',
  description:
    'Drops samples in which the share of characters that are digits, in any script, exceeds `max`: number tables, logs, lists of numbers.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    max: Type.Number({
      title: 'Maximum share of digits',
      default: 0.2,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'digits', description: 'Share of digits', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'Running text',
      params: {},
      input: 'In 2026 there were 41 of them, more than ever.',
      output: 'In 2026 there were 41 of them, more than ever.',
    },
    {
      title: 'Numbers',
      params: {},
      input: '17 4 2026 88',
      output: { drop: 'share of digits 0.75 is above max 0.2' },
    },
    {
      title: 'Chinese',
      params: {},
      input: '全部数据共有 41 份，比以往多。',
      output: '全部数据共有 41 份，比以往多。',
    },
  ],
  chinese: {
    name: '按数字占比过滤',
    description: '剔除超过 `max` 的字符是数字（任何文字的）的样本：数字表格、日志、号码列表。',
    measures: { digits: '数字所占的比例' },
    params: { max: { title: '数字的最大占比', help: '保留的数字的最大占比，0 到 1' } },
    examples: { 'Running text': '连贯的文本', Numbers: '数字', Chinese: '中文' },
    reasons: { DIGIT_SHARE_ABOVE_MAX: '数字占比 {share}，超过上限 {max}' },
  },
  each:
    ({ max }, { texts }) =>
    (sample) => {
      const { digits, all } = texts.of(sample.text).characters;
      const share = shareOf(digits, all);
      return share > max ? drop(reasons.DIGIT_SHARE_ABOVE_MAX.reason({ share, max }), share) : keep(sample, share);
    },
});
