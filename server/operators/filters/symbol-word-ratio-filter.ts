import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';

const reasons = defineSentences('symbol-word-ratio-filter', {
  SYMBOLS_ABOVE_MAX: '{symbols} per word {ratio} is above max {max}',
});

export const symbolWordRatioFilter = defineOperator({
  id: 'symbol-word-ratio-filter',
  version: '1.0.0',
  name: 'Filter by symbols per word',
  description:
    'Drops samples with more than `max` of the given symbols per word, such as hash signs or ellipses (as in the Gopher rules, Rae et al., 2021, which use 0.1 for each of the two).',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    symbols: Type.Array(Type.String({ minLength: 1, maxLength: 10 }), {
      title: 'Symbols',
      default: ['#'],
      minItems: 1,
      maxItems: 20,
      description: 'Symbols to count, such as #, or … and its other form ...',
    }),
    max: Type.Number({
      title: 'Maximum symbols per word',
      default: 0.1,
      minimum: 0,
      maximum: 1000,
      description: 'Samples with more symbols per word are dropped; numbers and punctuation marks count as words',
    }),
  }),
  measures: [{ name: 'symbolsPerWord', description: 'Hash signs per word', scale: 'VALUE' }],
  thresholds: [{ param: 'max', direction: 'max' }],
  examples: [
    {
      title: 'A heading',
      params: {},
      input: '# The title of a page, and its first sentence.',
      output: '# The title of a page, and its first sentence.',
    },
    {
      title: 'Hashtags',
      params: {},
      input: '#sale #now #本周',
      output: { drop: '# per word 0.4286 is above max 0.1' },
    },
    {
      title: 'Ellipses in either form',
      params: { symbols: ['…', '...'] },
      input: 'so… it ... ends',
      output: { drop: '… ... per word 0.4 is above max 0.1' },
    },
  ],
  chinese: {
    name: '按每词的符号数过滤',
    description: '剔除每词的某些符号多于 `max` 个的样本：井号、省略号（如 Gopher 规则，Rae 等，2021，两者各取 0.1）。',
    measures: { symbolsPerWord: '每词的井号数' },
    params: {
      symbols: { title: '符号', help: '要计数的符号，例如 #，或 … 及其另一写法 ...' },
      max: { title: '每词的最多符号数', help: '保留的每词符号数的最大值；词包括数和标点' },
    },
    examples: { 'A heading': '标题', Hashtags: '话题标签', 'Ellipses in either form': '两种省略号' },
    reasons: { SYMBOLS_ABOVE_MAX: '每词的 {symbols} 为 {ratio}，超过上限 {max}' },
  },
  each: ({ symbols, max }, { texts }) => {
    const listed = symbols.join(' ');
    return (sample) => {
      const { text } = sample;
      let found = 0;
      for (const symbol of symbols)
        for (let at = text.indexOf(symbol); at !== -1; at = text.indexOf(symbol, at + symbol.length)) found += 1;
      const words = found === 0 ? 1 : Math.max(1, texts.of(text).tokens.count);
      const ratio = Math.round((found / words) * 10_000) / 10_000;
      return ratio > max
        ? drop(reasons.SYMBOLS_ABOVE_MAX.reason({ symbols: listed, ratio, max }), ratio)
        : keep(sample, ratio);
    };
  },
});
