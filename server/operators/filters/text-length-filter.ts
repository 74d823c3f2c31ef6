import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import type { TextViews } from '../text-view.ts';
import { countTokens } from '../../chunking/measure.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';

const reasons = defineSentences('text-length-filter', {
  LENGTH_BELOW_MIN: 'length {length} is below min {min}',
  LENGTH_ABOVE_MAX: 'length {length} is above max {max}',
});

export const textLengthFilter = defineOperator({
  id: 'text-length-filter',
  version: '1.1.0',
  name: 'Filter by text length',
  description:
    'Drops samples whose text is shorter than `min` or longer than `max`: in characters (Unicode code points), in words (each Chinese character counts as one; punctuation marks do not count), or in language model tokens (OpenAI `o200k_base`; other tokenizers give similar counts).',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'length'],
  params: Type.Object({
    min: Type.Integer({
      title: 'Minimum length',
      default: 1,
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Shorter samples are dropped',
    }),
    max: Type.Integer({
      title: 'Maximum length',
      default: 1_000_000_000,
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'Longer samples are dropped',
    }),
    unit: Type.Union([Type.Literal('CHARACTERS'), Type.Literal('WORDS'), Type.Literal('TOKENS')], {
      title: 'Unit',
      default: 'CHARACTERS',
      description: 'Unit of both limits',
    }),
  }),
  examples: [
    { title: 'Long enough', params: { min: 3, max: 5 }, input: 'four', output: 'four' },
    { title: 'Both limits are inclusive', params: { min: 3, max: 3 }, input: 'abc', output: 'abc' },
    { title: 'Too short', params: { min: 3 }, input: 'ab', output: { drop: 'length 2 is below min 3' } },
    { title: 'Too long', params: { max: 3 }, input: 'abcd', output: { drop: 'length 4 is above max 3' } },
    { title: 'Code points, not UTF-16 units', params: { min: 2, max: 2 }, input: '👩高', output: '👩高' },
    { title: 'Words', params: { unit: 'WORDS', max: 4 }, input: 'Four words: 数据!', output: 'Four words: 数据!' },
    {
      title: 'Too few tokens',
      params: { unit: 'TOKENS', min: 10 },
      input: 'Tokenizers split uncommon words.',
      output: { drop: 'length 6 is below min 10' },
    },
    { title: 'Empty text is dropped by default', params: {}, input: '', output: { drop: 'length 0 is below min 1' } },
  ],
  measures: [{ name: 'length', description: 'Length of the text in code points', scale: 'COUNT' }],
  thresholds: [
    { param: 'min', direction: 'min' },
    { param: 'max', direction: 'max' },
  ],
  check: ({ min, max }) =>
    min > max
      ? {
          field: 'min',
          problem: parameterProblems.MUST_NOT_BE_GREATER.reason({ other: 'max', values: `${min} > ${max}` }),
        }
      : undefined,
  chinese: {
    name: '按文本长度过滤',
    description:
      '剔除文本短于 `min` 或长于 `max` 的样本：可按字符（Unicode 码点）、按词（每个汉字算一个词，标点不算）或按语言模型的词元（OpenAI 的 `o200k_base`，其他模型与之相近）计。',
    measures: { length: '文本长度（码点数）' },
    params: {
      min: { title: '最短长度', help: '保留的最少字符数、词数或词元数' },
      max: { title: '最长长度', help: '保留的最多字符数、词数或词元数' },
      unit: { title: '计量单位', help: '两个界限的单位' },
    },
    examples: {
      'Long enough': '足够长',
      'Both limits are inclusive': '等于上下限的保留',
      'Too short': '太短',
      'Too long': '太长',
      'Code points, not UTF-16 units': '以码点计，不以 UTF-16 单元计',
      Words: '按词计',
      'Too few tokens': '词元太少',
      'Empty text is dropped by default': '默认剔除空文本',
    },
    reasons: {
      LENGTH_BELOW_MIN: '长度 {length} 低于下限 {min}',
      LENGTH_ABOVE_MAX: '长度 {length} 超过上限 {max}',
    },
  },
  each: ({ min, max, unit }, { texts }) => {
    const lengthOf = lengths[unit];
    return (sample) => {
      const length = lengthOf(sample.text, texts);
      if (length < min) return drop(reasons.LENGTH_BELOW_MIN.reason({ length, min }), length);
      if (length > max) return drop(reasons.LENGTH_ABOVE_MAX.reason({ length, max }), length);
      return keep(sample, length);
    };
  },
});

const lengths = {
  CHARACTERS: codePoints,
  WORDS: (text: string, texts: TextViews): number => texts.of(text).words.words,
  TOKENS: countTokens,
} as const;

const highSurrogate = /[\ud800-\udbff]/;

/** Number of code points; a lone surrogate counts as one. */
function codePoints(text: string): number {
  // Most texts have no surrogate pairs and need no check of each unit.
  if (!highSurrogate.test(text)) return text.length;
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      pairs += 1;
      at += 1;
    }
  }
  return text.length - pairs;
}
