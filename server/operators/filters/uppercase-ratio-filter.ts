import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { shareOf } from '../text-view.ts';

const reasons = defineSentences('uppercase-ratio-filter', {
  UPPERCASE_SHARE_ABOVE_MAX: 'share of upper case {share} is above max {max}',
});

export const uppercaseRatioFilter = defineOperator({
  id: 'uppercase-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of upper case',
  description:
    'Drops samples in which the share of upper-case letters exceeds `max`: shouting, headings, lists of codes. Letters of scripts without case, such as Chinese, count as letters.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    max: Type.Number({
      title: 'Maximum share of upper case',
      default: 0.4,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'uppercase', description: 'Share of letters in upper case', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    { title: 'Running text', params: {}, input: 'NASA launched it in May.', output: 'NASA launched it in May.' },
    {
      title: 'Shouting',
      params: {},
      input: 'BUY NOW, save more',
      output: { drop: 'share of upper case 0.4286 is above max 0.4' },
    },
    { title: 'Chinese', params: {}, input: '用 GPU 训练模型需要很多数据。', output: '用 GPU 训练模型需要很多数据。' },
  ],
  chinese: {
    name: '按大写字母占比过滤',
    description:
      '剔除超过 `max` 的字母是大写的样本：全大写的叫卖、标题、代码列表。没有大小写的文字（如中文）也计作字母。',
    measures: { uppercase: '大写字母占字母的比例' },
    params: { max: { title: '大写字母的最大占比', help: '保留的大写字母的最大占比，0 到 1' } },
    examples: { 'Running text': '连贯的文本', Shouting: '全大写的叫卖', Chinese: '中文' },
    reasons: { UPPERCASE_SHARE_ABOVE_MAX: '大写字母占比 {share}，超过上限 {max}' },
  },
  each:
    ({ max }, { texts }) =>
    (sample) => {
      const { uppercase, letters } = texts.of(sample.text).characters;
      const share = shareOf(uppercase, letters);
      return share > max ? drop(reasons.UPPERCASE_SHARE_ABOVE_MAX.reason({ share, max }), share) : keep(sample, share);
    },
});
