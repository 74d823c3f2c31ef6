import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { shareOf } from '../text-view.ts';

const reasons = defineSentences('duplicate-paragraph-ratio-filter', {
  REPEATED_PARAGRAPHS_ABOVE_MAX: 'share of repeated paragraphs {share} is above max {max}',
  REPEATED_PARAGRAPH_CHARACTERS_ABOVE_MAX: 'share of characters in repeated paragraphs {share} is above max {max}',
});

export const duplicateParagraphRatioFilter = defineOperator({
  id: 'duplicate-paragraph-ratio-filter',
  version: '1.0.0',
  name: 'Filter by share of repeated paragraphs',
  description:
    'Drops samples in which repeated paragraphs make up more than `max` of the paragraphs, or of their characters (as in the Gopher rules, Rae et al., 2021: 0.3 of the paragraphs, 0.2 of the characters). A paragraph counts as repeated if it occurred earlier in the text. Paragraphs are separated by blank lines.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    of: Type.Union([Type.Literal('PARAGRAPHS'), Type.Literal('CHARACTERS')], {
      title: 'Share of',
      default: 'PARAGRAPHS',
      description: 'Count every paragraph equally, or weight it by its length',
    }),
    max: Type.Number({
      title: 'Maximum share of repeated paragraphs',
      default: 0.3,
      minimum: 0,
      maximum: 1,
      description: 'Samples with a larger share are dropped; 0 to 1',
    }),
  }),
  measures: [
    {
      name: 'repeatedParagraphs',
      description: 'Share of paragraphs that occurred earlier in the text',
      scale: 'SHARE',
    },
  ],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'No repeated paragraphs',
      params: {},
      input: 'One\nof two lines.\n\nTwo.',
      output: 'One\nof two lines.\n\nTwo.',
    },
    {
      title: 'Repeated paragraphs',
      params: {},
      input: 'Call us\ntoday.\n\nCall us\ntoday.',
      output: { drop: 'share of repeated paragraphs 0.5 is above max 0.3' },
    },
    {
      title: 'Weighted by length',
      params: { of: 'CHARACTERS', max: 0.2 },
      input: '欢迎光临\n\n新闻\n\n欢迎光临',
      output: { drop: 'share of characters in repeated paragraphs 0.2857 is above max 0.2' },
    },
  ],
  chinese: {
    name: '按重复段落占比过滤',
    description:
      '剔除超过 `max` 的段落（或其中的字符）在同一文本里先前出现过的样本（如 Gopher 规则，Rae 等，2021：段落取 0.3，字符取 0.2）。段落以空行结束。',
    measures: { repeatedParagraphs: '先前出现过的段落所占的比例' },
    params: {
      of: { title: '占比的对象', help: '每段同等计数，还是按其长度' },
      max: { title: '重复段落的最大占比', help: '保留的重复段落的最大占比，0 到 1' },
    },
    examples: {
      'No repeated paragraphs': '没有重复的段落',
      'Repeated paragraphs': '相同的段落再次出现',
      'Weighted by length': '按长度计',
    },
    reasons: {
      REPEATED_PARAGRAPHS_ABOVE_MAX: '重复段落占比 {share}，超过上限 {max}',
      REPEATED_PARAGRAPH_CHARACTERS_ABOVE_MAX: '重复段落的字符占比 {share}，超过上限 {max}',
    },
  },
  each: ({ of, max }, { texts }) => {
    const isByLength = of === 'CHARACTERS';
    const above = isByLength ? reasons.REPEATED_PARAGRAPH_CHARACTERS_ABOVE_MAX : reasons.REPEATED_PARAGRAPHS_ABOVE_MAX;
    return (sample) => {
      const view = texts.of(sample.text);
      const { count, repeated, repeatedLength } = view.lines.paragraphs;
      const share = isByLength ? shareOf(repeatedLength, view.characters.all) : shareOf(repeated, count);
      return share > max ? drop(above.reason({ share, max }), share) : keep(sample, share);
    };
  },
});
