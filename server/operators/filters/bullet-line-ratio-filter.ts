import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { lineTraits } from '../text-lines.ts';
import { lineShare } from '../text-view.ts';

const reasons = defineSentences('bullet-line-ratio-filter', {
  BULLET_SHARE_ABOVE_MAX: 'share of lines with a bullet {share} is above max {max}',
});

export const bulletLineRatioFilter = defineOperator({
  id: 'bullet-line-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of bulleted lines',
  description:
    'Drops samples in which the share of lines that begin with a bullet or a dash exceeds `max`: menus, link lists (as in the Gopher rules, Rae et al., 2021). Blank lines are ignored.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    max: Type.Number({
      title: 'Maximum share of bulleted lines',
      default: 0.9,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [{ name: 'bulletLines', description: 'Share of lines that begin with a bullet', scale: 'SHARE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    { title: 'A list in a text', params: {}, input: 'We need:\n- milk\n- bread', output: 'We need:\n- milk\n- bread' },
    {
      title: 'Nothing but a list',
      params: {},
      input: '• Home\n• News\n• 关于我们',
      output: { drop: 'share of lines with a bullet 1 is above max 0.9' },
    },
  ],
  chinese: {
    name: '按项目符号行占比过滤',
    description:
      '剔除超过 `max` 的行以项目符号或短横开头的样本：菜单、链接列表（如 Gopher 规则，Rae 等，2021）。空行不计。',
    measures: { bulletLines: '以项目符号开头的行所占的比例' },
    params: { max: { title: '项目符号行的最大占比', help: '保留的项目符号行的最大占比，0 到 1' } },
    examples: { 'A list in a text': '文中的列表', 'Nothing but a list': '只有列表' },
    reasons: { BULLET_SHARE_ABOVE_MAX: '项目符号行占比 {share}，超过上限 {max}' },
  },
  each:
    ({ max }, { texts }) =>
    (sample) => {
      const share = lineShare(texts.of(sample.text).lines.lines, lineTraits.bullet);
      return share > max ? drop(reasons.BULLET_SHARE_ABOVE_MAX.reason({ share, max }), share) : keep(sample, share);
    },
});
