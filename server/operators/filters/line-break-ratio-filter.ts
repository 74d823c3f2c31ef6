import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';

const reasons = defineSentences('line-break-ratio-filter', {
  LINE_BREAKS_ABOVE_MAX: 'line breaks per word {ratio} are above max {max}',
});

export const lineBreakRatioFilter = defineOperator({
  id: 'line-break-ratio-filter',
  version: '1.0.0',
  name: 'Filter by line breaks per word',
  description:
    'Drops samples with more than `max` line breaks per word: lists, tables with one cell per line (as in the FineWeb rules, Penedo et al., 2024, which use 0.3). Numbers, punctuation marks and Chinese characters count as words.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    max: Type.Number({
      title: 'Maximum line breaks per word',
      default: 0.3,
      minimum: 0,
      maximum: 1000,
      description: 'Samples with more line breaks per word are dropped',
    }),
  }),
  measures: [{ name: 'lineBreaksPerWord', description: 'Line breaks per word', scale: 'VALUE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'Running text',
      params: {},
      input: 'Four words, one comma.\nAnd again.',
      output: 'Four words, one comma.\nAnd again.',
    },
    {
      title: 'One word per line',
      params: {},
      input: 'Name\nDate\n价格',
      output: { drop: 'line breaks per word 0.5 are above max 0.3' },
    },
  ],
  chinese: {
    name: '按每词的换行数过滤',
    description:
      '剔除每词的换行多于 `max` 个的样本：列表、每行一格的表格（如 FineWeb 规则，Penedo 等，2024，取 0.3）。数、标点和汉字都算词。',
    measures: { lineBreaksPerWord: '每词的换行数' },
    params: { max: { title: '每词的最多换行数', help: '保留的每词换行数的最大值' } },
    examples: { 'Running text': '连贯的文本', 'One word per line': '每行一个词' },
    reasons: { LINE_BREAKS_ABOVE_MAX: '每词的换行数为 {ratio}，超过上限 {max}' },
  },
  each:
    ({ max }, { texts }) =>
    (sample) => {
      const view = texts.of(sample.text);
      const ratio = Math.round((view.lines.lineBreaks / Math.max(1, view.tokens.count)) * 10_000) / 10_000;
      return ratio > max ? drop(reasons.LINE_BREAKS_ABOVE_MAX.reason({ ratio, max }), ratio) : keep(sample, ratio);
    },
});
