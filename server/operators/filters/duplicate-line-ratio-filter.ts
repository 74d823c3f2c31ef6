import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { shareOf } from '../text-view.ts';

const reasons = defineSentences('duplicate-line-ratio-filter', {
  REPEATED_LINES_ABOVE_MAX: 'share of repeated lines {share} is above max {max}',
  REPEATED_LINE_CHARACTERS_ABOVE_MAX: 'share of characters in repeated lines {share} is above max {max}',
});

export const duplicateLineRatioFilter = defineOperator({
  id: 'duplicate-line-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of repeated lines',
  description:
    'Drops samples in which repeated lines make up more than `max` of the lines, or of their characters: menus, template remnants (as in the Gopher rules, Rae et al., 2021: 0.3 of the lines, 0.2 of the characters). A line counts as repeated if it occurred earlier in the text. Blank lines are ignored.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    of: Type.Union([Type.Literal('LINES'), Type.Literal('CHARACTERS')], {
      title: 'Share of',
      default: 'LINES',
      description: 'Count every line equally, or weight it by its length',
    }),
    max: Type.Number({
      title: 'Maximum share of repeated lines',
      default: 0.3,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [
    { name: 'repeatedLines', description: 'Share of lines that occurred earlier in the text', scale: 'SHARE' },
  ],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    { title: 'No repeated lines', params: {}, input: 'One.\n\nTwo.\n\nThree.', output: 'One.\n\nTwo.\n\nThree.' },
    {
      title: 'Repeated lines',
      params: {},
      input: 'Read more\nShare\nRead more\nShare',
      output: { drop: 'share of repeated lines 0.5 is above max 0.3' },
    },
    {
      title: 'Weighted by length',
      params: { of: 'CHARACTERS', max: 0.2 },
      input: '点击查看\n一段新闻\n点击查看',
      output: { drop: 'share of characters in repeated lines 0.2857 is above max 0.2' },
    },
  ],
  chinese: {
    name: '按重复行占比过滤',
    description:
      '剔除超过 `max` 的行（或其中的字符）在同一文本里先前出现过的样本：菜单、模板的残余（如 Gopher 规则，Rae 等，2021：行取 0.3，字符取 0.2）。空行不计。',
    measures: { repeatedLines: '先前出现过的行所占的比例' },
    params: {
      of: { title: '占比的对象', help: '每行同等计数，还是按其长度' },
      max: { title: '重复行的最大占比', help: '保留的重复行的最大占比，0 到 1' },
    },
    examples: {
      'No repeated lines': '没有重复的行',
      'Repeated lines': '相同的行再次出现',
      'Weighted by length': '按长度计',
    },
    reasons: {
      REPEATED_LINES_ABOVE_MAX: '重复行占比 {share}，超过上限 {max}',
      REPEATED_LINE_CHARACTERS_ABOVE_MAX: '重复行的字符占比 {share}，超过上限 {max}',
    },
  },
  each: ({ of, max }, { texts }) => {
    const isByLength = of === 'CHARACTERS';
    const above = isByLength ? reasons.REPEATED_LINE_CHARACTERS_ABOVE_MAX : reasons.REPEATED_LINES_ABOVE_MAX;
    return (sample) => {
      const view = texts.of(sample.text);
      const { count, repeated, repeatedLength } = view.lines.lines;
      const share = isByLength ? shareOf(repeatedLength, view.characters.all) : shareOf(repeated, count);
      return share > max ? drop(above.reason({ share, max }), share) : keep(sample, share);
    };
  },
});
