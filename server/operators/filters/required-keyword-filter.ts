import { Type } from 'typebox';
import { defineSentences } from '../../kernel/sentence-catalogue.ts';
import { chineseKeywords, createKeywordSearch, keywordParams } from '../keywords.ts';
import { defineOperator, drop, keep } from '../operator.ts';

const reasons = defineSentences('required-keyword-filter', {
  KEYWORDS_BELOW_MIN: '{count} of the required keywords, below min {min}',
});

export const requiredKeywordFilter = defineOperator({
  id: 'required-keyword-filter',
  version: '1.0.0',
  name: 'Filter by required keywords',
  description:
    'Keeps samples that contain at least `min` different words or phrases from a list and drops the others. All keywords are searched for in one pass (Aho and Corasick, 1975), regardless of their number.',
  modality: 'TEXT',
  kind: 'FILTER',
  categories: ['filter'],
  params: Type.Object({
    ...keywordParams,
    min: Type.Integer({
      title: 'Minimum keywords',
      default: 1,
      minimum: 0,
      maximum: 10_000,
      description: 'Samples with fewer different keywords are dropped',
    }),
  }),
  thresholds: [{ param: 'min', direction: 'min' }],
  examples: [
    {
      title: 'One of several',
      params: { keywords: ['invoice', '发票'] },
      input: 'Invoice 4711',
      output: 'Invoice 4711',
    },
    {
      title: 'None of them',
      params: { keywords: ['invoice', '发票'] },
      input: '关于数据清洗的报告',
      output: { drop: '0 of the required keywords, below min 1' },
    },
    {
      title: 'The same one twice',
      params: { keywords: ['tax', 'invoice'], min: 2 },
      input: 'tax on tax',
      output: { drop: '1 of the required keywords, below min 2' },
    },
  ],
  chinese: {
    name: '按必需关键词过滤',
    description:
      '保留列表中至少出现 `min` 个不同的词或短语的样本，剔除其余的。所有关键词一次查找（Aho 与 Corasick，1975），数量再多也不变慢。',
    params: {
      ...chineseKeywords,
      min: { title: '最少关键词数', help: '保留的最少不同关键词数' },
    },
    examples: { 'One of several': '其中之一', 'None of them': '一个也没有', 'The same one twice': '同一个出现两次' },
    reasons: { KEYWORDS_BELOW_MIN: '必需关键词出现 {count} 个，低于下限 {min}' },
  },
  each: ({ keywords, wholeWords, ignoreCase, min }) => {
    const search = createKeywordSearch(keywords, { ignoreCase, wholeWords });
    return (sample) => {
      const found = new Set<number>();
      search(sample.text, (keyword) => found.add(keyword));
      const count = found.size;
      return count < min ? drop(reasons.KEYWORDS_BELOW_MIN.reason({ count, min }), count) : keep(sample, count);
    };
  },
});
