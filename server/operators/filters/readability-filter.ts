import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { defineOperator, drop, keep } from '../operator.ts';
import { tokenTraits } from '../text-tokens.ts';
import type { TextView } from '../text-view.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';

const reasons = defineSentences('readability-filter', {
  READABILITY_BELOW_MIN: 'reading ease {ease} is below min {min}',
  READABILITY_ABOVE_MAX: 'reading ease {ease} is above max {max}',
});

export const readabilityFilter = defineOperator({
  id: 'readability-filter',
  version: '1.0.0',
  name: 'Filter by reading ease (English)',
  description:
    'Drops samples that are harder to read than `min` or easier than `max`, by the Flesch reading ease (1948): 100 for very easy and 0 for very hard English, computed from the lengths of sentences and words. Syllables are counted by vowels. Texts without English words score 0, so filter by language first.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter', 'quality'],
  params: Type.Object({
    min: Type.Number({
      title: 'Minimum reading ease',
      default: 0,
      minimum: -1000,
      maximum: 1000,
      description: 'Harder samples are dropped; 30 is academic text, 60 plain English',
    }),
    max: Type.Number({
      title: 'Maximum reading ease',
      default: 200,
      minimum: -1000,
      maximum: 1000,
      description: 'Easier samples are dropped',
    }),
  }),
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
  examples: [
    {
      title: 'Plain English',
      params: { min: 60 },
      input: 'The cat sat on the mat. It was warm.',
      output: 'The cat sat on the mat. It was warm.',
    },
    {
      title: 'Hard English',
      params: {},
      input: 'Organizational responsibilities necessitate interdisciplinary communication.',
      output: { drop: 'reading ease -272 is below min 0' },
    },
    { title: 'Chinese scores 0', params: {}, input: '数据清洗是第一步。', output: '数据清洗是第一步。' },
  ],
  chinese: {
    name: '按易读度过滤（英文）',
    description:
      '剔除比 `min` 难读或比 `max` 易读的样本：Flesch（1948）的易读度，由句长和词长得出，很容易的英文为 100，很难的为 0。音节按词中的元音计。没有英文词的文本为 0：请先按语言过滤。',
    params: {
      min: { title: '最难', help: '保留的最小易读度：学术文章约 30，普通英文约 60' },
      max: { title: '最易', help: '保留的最大易读度' },
    },
    examples: { 'Plain English': '普通英文', 'Hard English': '难读的英文', 'Chinese scores 0': '中文没有易读度' },
    reasons: {
      READABILITY_BELOW_MIN: '易读度 {ease} 低于下限 {min}',
      READABILITY_ABOVE_MAX: '易读度 {ease} 超过上限 {max}',
    },
  },
  each:
    ({ min, max }, { texts }) =>
    (sample) => {
      const ease = readingEase(texts.of(sample.text));
      if (ease < min) return drop(reasons.READABILITY_BELOW_MIN.reason({ ease, min }), ease);
      if (ease > max) return drop(reasons.READABILITY_ABOVE_MAX.reason({ ease, max }), ease);
      return keep(sample, ease);
    },
});

/** Syllables of recently counted words. */
const known = new Map<string, number>();
const mostKnown = 50_000;
const longestWord = 40;
const english = /^[A-Za-z]+(?:['’][A-Za-z]+)?$/;

/** Flesch reading ease to two decimals, clamped to the range of the thresholds. */
function readingEase({ text, tokens, words: { sentences } }: TextView): number {
  let [words, syllables] = [0, 0];
  for (let index = 0; index < tokens.count; index += 1) {
    if (((tokens.traits[index] ?? 0) & tokenTraits.alphabetic) === 0) continue;
    const start = tokens.starts[index] ?? 0;
    const end = tokens.ends[index] ?? 0;
    if (end - start > longestWord) continue;
    const word = text.slice(start, end);
    const count = syllablesOf(word);
    if (count === 0) continue;
    words += 1;
    syllables += count;
  }
  if (words === 0) return 0;
  const ease = 206.835 - 1.015 * (words / Math.max(1, sentences)) - 84.6 * (syllables / words);
  return Math.min(1000, Math.max(-1000, Math.round(ease * 100) / 100));
}

/** Number of vowel groups, without a silent final e; 0 if it is not an English word. */
function syllablesOf(word: string): number {
  const found = known.get(word);
  if (found !== undefined) return found;
  let count = 0;
  if (english.test(word)) {
    const plain = word.toLowerCase().replace(/(?:[^laeiouy]es|[^aeiouydt]ed|[^laeiouy]e)$/, '');
    count = Math.max(1, plain.match(/[aeiouy]+/g)?.length ?? 0);
  }
  if (known.size >= mostKnown) known.clear();
  known.set(word, count);
  return count;
}
