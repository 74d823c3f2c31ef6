import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { lineTraits } from '../text-lines.ts';
import { lineShare } from '../text-view.ts';

const reasons = defineSentences('line-punctuation-filter', {
  ENDED_SHARE_BELOW_MIN: 'share of lines that end a sentence {share} is below min {min}',
});

export const linePunctuationFilter = defineOperator({
  id: 'line-punctuation-filter',
  version: '1.0.0',
  name: 'Filter by share of lines that end a sentence',
  description:
    'Drops samples in which the share of lines that end with sentence-ending punctuation, such as . ! ? 。 ！ ？, also before a closing quote, is below `min`: menus, tables, lists (as in the FineWeb rules, Penedo et al., 2024, which use 0.12). Blank lines are ignored.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    min: Type.Number({
      title: 'Minimum share of such lines',
      default: 0.12,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a smaller share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'endedLines', description: 'Share of lines that end a sentence', scale: 'SHARE' }],
  thresholds: [{ param: 'min', direction: 'min' }],
  examples: [
    {
      title: 'Sentences',
      params: {},
      input: 'A title\nA sentence.\n“又一句。”',
      output: 'A title\nA sentence.\n“又一句。”',
    },
    {
      title: 'A menu',
      params: {},
      input: 'Home\nNews\n关于我们',
      output: { drop: 'share of lines that end a sentence 0 is below min 0.12' },
    },
  ],
  chinese: {
    name: '按以句末标点结尾的行占比过滤',
    description:
      '剔除以句末标点（. ! ? 。 ！ ？ 等，其后可有引号）结尾的行少于 `min` 的样本：菜单、表格、列表（如 FineWeb 规则，Penedo 等，2024，取 0.12）。空行不计。',
    measures: { endedLines: '以句末标点结尾的行所占的比例' },
    params: { min: { title: '以句末标点结尾的行的最小占比', help: '保留的以句末标点结尾的行的最小占比，0 到 1' } },
    examples: { Sentences: '句子', 'A menu': '菜单' },
    reasons: { ENDED_SHARE_BELOW_MIN: '以句末标点结尾的行占比 {share}，低于下限 {min}' },
  },
  each:
    ({ min }, { texts }) =>
    (sample) => {
      const share = lineShare(texts.of(sample.text).lines.lines, lineTraits.sentenceEnd);
      return share < min ? drop(reasons.ENDED_SHARE_BELOW_MIN.reason({ share, min }), share) : keep(sample, share);
    },
});
