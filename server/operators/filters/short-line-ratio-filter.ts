import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { shareOf } from '../text-view.ts';

const reasons = defineSentences('short-line-ratio-filter', {
  SHORT_SHARE_ABOVE_MAX: 'share of lines of {length} characters or fewer {share} is above max {max}',
});

export const shortLineRatioFilter = defineOperator({
  id: 'short-line-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of short lines',
  description:
    'Drops samples in which the share of lines with at most `length` characters exceeds `max`: menus, lists, verses (as in the FineWeb rules, Penedo et al., 2024: 0.67 with 30 characters). Blank lines are ignored. Chinese text needs about a third of the characters.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    length: Type.Integer({
      title: 'Maximum length of a short line',
      default: 30,
      minimum: 1,
      maximum: 100_000,
      description: 'Lines with at most this many characters are short; use 10 for Chinese',
    }),
    max: Type.Number({
      title: 'Maximum share of short lines',
      default: 0.67,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'shortLines', description: 'Share of lines of 30 characters or fewer', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'Running text',
      params: {},
      input: 'A title\nA line that is longer than thirty characters.',
      output: 'A title\nA line that is longer than thirty characters.',
    },
    {
      title: 'A menu',
      params: {},
      input: 'Home\nNews\nAbout us',
      output: { drop: 'share of lines of 30 characters or fewer 1 is above max 0.67' },
    },
    {
      title: 'Chinese',
      params: { length: 10 },
      input: '数据清洗是机器学习的第一步。',
      output: '数据清洗是机器学习的第一步。',
    },
  ],
  chinese: {
    name: '按短行占比过滤',
    description:
      '剔除超过 `max` 的行不超过 `length` 个字符的样本：菜单、列表、诗行（如 FineWeb 规则，Penedo 等，2024：30 个字符，0.67）。空行不计。同样的内容，中文只需约三分之一的字符。',
    measures: { shortLines: '不超过 30 个字符的行所占的比例' },
    params: {
      length: { title: '短行的字符数', help: '短行最多的字符数；中文取 10' },
      max: { title: '短行的最大占比', help: '保留的短行的最大占比，0 到 1' },
    },
    examples: { 'Running text': '连贯的文本', 'A menu': '菜单', Chinese: '中文' },
    reasons: { SHORT_SHARE_ABOVE_MAX: '不超过 {length} 个字符的行占比 {share}，超过上限 {max}' },
  },
  each:
    ({ length, max }, { texts }) =>
    (sample) => {
      const { count, lengths } = texts.of(sample.text).lines.lines;
      let short = 0;
      for (const size of lengths) if (size <= length) short += 1;
      const share = shareOf(short, count);
      return share > max
        ? drop(reasons.SHORT_SHARE_ABOVE_MAX.reason({ length, share, max }), share)
        : keep(sample, share);
    },
});
