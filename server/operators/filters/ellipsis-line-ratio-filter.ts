import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { lineTraits } from '../text-lines.ts';
import { lineShare } from '../text-view.ts';

const reasons = defineSentences('ellipsis-line-ratio-filter', {
  ELLIPSIS_SHARE_ABOVE_MAX: 'share of lines that end with an ellipsis {share} is above max {max}',
});

export const ellipsisLineRatioFilter = defineOperator({
  id: 'ellipsis-line-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of truncated lines',
  description:
    'Drops samples in which the share of lines that end with an ellipsis exceeds `max`: teasers, search result lists (as in the Gopher rules, Rae et al., 2021). Blank lines are ignored.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    max: Type.Number({
      title: 'Maximum share of truncated lines',
      default: 0.3,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'ellipsisLines', description: 'Share of lines that end with an ellipsis', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'Running text',
      params: {},
      input: 'He waited ...\nand waited.\nNobody came.\nHe left.',
      output: 'He waited ...\nand waited.\nNobody came.\nHe left.',
    },
    {
      title: 'Teasers',
      params: {},
      input: 'Ten things you …\nWhat she said ...\n点击查看更多……',
      output: { drop: 'share of lines that end with an ellipsis 1 is above max 0.3' },
    },
  ],
  chinese: {
    name: '按省略号行占比过滤',
    description:
      '剔除超过 `max` 的行以省略号结尾的样本：摘要预告、搜索结果列表（如 Gopher 规则，Rae 等，2021）。空行不计。',
    measures: { ellipsisLines: '以省略号结尾的行所占的比例' },
    params: { max: { title: '省略号行的最大占比', help: '保留的以省略号结尾的行的最大占比，0 到 1' } },
    examples: { 'Running text': '连贯的文本', Teasers: '摘要预告' },
    reasons: { ELLIPSIS_SHARE_ABOVE_MAX: '以省略号结尾的行占比 {share}，超过上限 {max}' },
  },
  each:
    ({ max }, { texts }) =>
    (sample) => {
      const share = lineShare(texts.of(sample.text).lines.lines, lineTraits.ellipsis);
      return share > max ? drop(reasons.ELLIPSIS_SHARE_ABOVE_MAX.reason({ share, max }), share) : keep(sample, share);
    },
});
